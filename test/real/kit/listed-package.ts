/** A published server as lists of servers name it: its package, the command in it, and the arguments. */

import type { Packages } from './packages.ts';
import { offline, type Scratch } from './scratch.ts';

export interface ListedPackage {
  readonly package: string;
  readonly bin: string;
  /** `$WORK` stands for an empty folder. */
  readonly args: readonly string[];
  /** Keys that some versions want before they start. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The package as the name of a server. */
export function serverNameOf({ package: name }: Pick<ListedPackage, 'package'>): string {
  return name.replace(/^@/, '').replace(/[^a-z0-9_-]/g, '-');
}

/** The server as a member of `mcpServers`. */
export async function entryOfListed(
  { package: name, bin, args, env }: ListedPackage,
  packages: Packages,
  scratch: Scratch,
): Promise<{ command: string; args: string[]; env: Record<string, string> }> {
  const script = await packages.script(name, bin);
  return {
    command: process.execPath,
    args: [script, ...args.map((arg) => arg.replace('$WORK', scratch.home))],
    env: { ...offline, ...env },
  };
}
