/** A project that was made at run time; projects of the config file are not stored. */

import type { JsonObject } from '../../base/json.ts';

export interface StoredProject {
  readonly name: string;
  /** The project in the form of one member of `projects`, as it was given. */
  readonly settings: JsonObject;
  readonly createdAt: number;
}
