/** A composable MCP server for tests, described by JSON: `test-server.ts '<JSON>'` or `test-server.ts --file FILE`. */

import { readFileSync } from 'node:fs';
import { endOfInput, startWithFaults } from './faults.ts';
import { ServerState } from './server-state.ts';
import { parseSpec, type ServerSpec } from './spec.ts';

const USAGE = "usage: test-server.ts [--exit-with-stdin] ('<JSON>' | --file FILE)";

/** Starts the server that the arguments describe. With `--exit-with-stdin` an HTTP server ends with its parent. */
async function main(args: readonly string[]): Promise<void> {
  const [first, second] = args.filter((arg) => arg !== '--exit-with-stdin');
  const json = first === '--file' && second !== undefined ? readFileSync(second, 'utf8') : first;
  if (json === undefined) throw new Error(USAGE);
  // The shape is checked by parseSpec; a wrong value inside a key is the test's own mistake.
  const server = new ServerState(parseSpec(JSON.parse(json) as ServerSpec));
  if (server.settings.transport === 'stdio') return startStdio(server);
  await startWithFaults(server, () => {});
  if (args.includes('--exit-with-stdin')) {
    process.stdin.on('end', () => endOfInput(server, () => {}));
    process.stdin.resume();
  }
  // Loaded only when needed: node:http is a good part of the start-up time.
  const { url } =
    server.settings.transport === 'http'
      ? await (await import('./transport-http.ts')).serveHttp(server)
      : await (await import('./transport-sse.ts')).serveSse(server);
  process.stdout.write(`listening ${url}\n`);
}

async function startStdio(server: ServerState): Promise<void> {
  const { stdioWriter } = await import('./stdio-writer.ts');
  const { serveStdio } = await import('./transport-stdio.ts');
  const writer = stdioWriter(server.settings.modes, (bytes) => process.stdout.write(bytes));
  await startWithFaults(server, () => writer.flush());
  serveStdio(server, writer);
}

await main(process.argv.slice(2));
