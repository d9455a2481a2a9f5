/** A stand-in for a command that starts a server: it waits for a gate, does what the gate says, and only then becomes the server. */

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The gate is a file; its content is shell script, so that a test can let the start fail. */
const script = `#!/bin/sh
gate="$1"
shift
until [ -e "$gate" ]; do sleep 0.05; done
. "$gate"
exec "$@"
`;

export interface GatedCommand extends AsyncDisposable {
  /** The path of the stand-in. */
  readonly path: string;
  /** The entry of a server that is started through it. */
  behind(entry: Readonly<Record<string, unknown>>, gate?: string): Record<string, unknown>;
  /** Lets starts through, the one that waits and later ones; `deed` is run in place of the server's start. */
  open(gate?: string, deed?: string): Promise<void>;
  /** Makes starts wait again. */
  shut(gate?: string): Promise<void>;
}

/** `name`: how the command is called, such as `npx`. */
export async function gatedCommand(name: string): Promise<GatedCommand> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-gate-'));
  const path = join(folder, name);
  await writeFile(path, script);
  await chmod(path, 0o755);
  const file = (gate: string) => join(folder, `${gate}.gate`);
  return {
    path,
    behind: ({ command, args, ...rest }, gate = 'gate') => ({
      ...rest,
      command: path,
      args: [file(gate), command, ...(args as string[])],
    }),
    open: (gate = 'gate', deed = '') => writeFile(file(gate), deed),
    shut: (gate = 'gate') => rm(file(gate), { force: true }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
