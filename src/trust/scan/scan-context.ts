/** What the checks of one definition share. */

import type { SentenceReader } from './find-concepts.ts';
import type { Purpose } from './purpose.ts';

export interface ScanContext {
  readonly purpose: Purpose;
  readonly reader: SentenceReader;
}
