/** A screen: what a view shows and what can be done there. */

import type { ReactNode } from 'react';

export interface KeyCommand {
  /** As `keysOf` names it. */
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
  /** Not on the key line: there are too many of them, or everybody knows it. */
  readonly isQuiet?: boolean;
}

export interface Screen {
  readonly title: string;
  readonly body: ReactNode;
  readonly commands: readonly KeyCommand[];
  /** Takes keys before any command, while a text is typed; true where it took one. */
  readonly onKey?: ((key: string) => boolean) | undefined;
}
