/** The demo servers as the gateway registers them: small offline servers to try search, calls and failures with. */

import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { introductions } from './introductions.ts';

export interface DemoServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly title: string;
  readonly description: string;
}

/** Every demo server by name, in the form of an `mcpServers` entry. Started by the Node that runs this. */
export function demoServers(): Record<string, DemoServer> {
  const program = programPath();
  return Object.fromEntries(
    Object.entries(introductions).map(([name, { title, description }]) => [
      name,
      { command: process.execPath, args: [program, name], title, description },
    ]),
  );
}

/** The program lies beside this file and, once compiled, has this file's extension. */
function programPath(): string {
  const extension = extname(fileURLToPath(import.meta.url));
  return fileURLToPath(new URL(`./demo-server${extension}`, import.meta.url));
}
