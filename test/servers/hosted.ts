/**
 * Test servers inside the test's own process, over HTTP, most of them at one port: for tests that do not care how a server is reached. A
 * process for each would cost a tenth of a second of the processor.
 */

import type { RequestListener } from 'node:http';
import { listenAt } from './http-front.ts';
import { newJournal, type OpenServer, readJournal } from './launch.ts';
import { ServerState } from './server-state.ts';
import { type Modes, parseSpec, type ServerSpec } from './spec.ts';
import { answeringHttp, serveHttp } from './transport-http.ts';
import { serveSse } from './transport-sse.ts';

/** Modes of a process as a whole: a server that has one needs a process of its own. */
const processModes: readonly (keyof Modes)[] = [
  ...(['startDelayMs', 'exitAtStart', 'crashAfterMs', 'crashMidCall', 'listChangedStorm', 'stderrNoise'] as const),
  ...(['ignoreSigterm', 'ignoreStdinEnd', 'forkGrandchild', 'grandchildHoldsPipes'] as const),
];

/** By the first part of their paths. */
const hosted = new Map<string, RequestListener>();

const { origin, listener } = await listenAt(0, (request, response) => {
  const [, id = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
  request.url = path;
  const answer = hosted.get(id);
  if (answer) answer(request, response);
  else response.writeHead(404).end();
});
// It listens as long as the tests run, and keeps no process from ending.
listener.unref();

/** A member of `mcpServers` for a new server. It keeps its state from one gateway to the next. */
export function hostedServer(spec: Omit<ServerSpec, 'transport' | 'port'>): { readonly url: string } {
  const id = String(hosted.size);
  hosted.set(id, answeringHttp(stateOf({ ...spec, transport: 'http' })));
  return { url: `${origin}/${id}/mcp` };
}

/** Opens a server over http or sse at a port of its own, which is closed once it has stopped. */
export async function openServer(spec: ServerSpec): Promise<OpenServer> {
  const journalPath = spec.journal ?? newJournal();
  const state = stateOf({ transport: 'http', ...spec, journal: journalPath });
  const { url, close: stop } = await (state.settings.transport === 'sse' ? serveSse(state) : serveHttp(state));
  return { url, journalPath, journal: () => readJournal(journalPath), stop, [Symbol.asyncDispose]: stop };
}

function stateOf(spec: ServerSpec): ServerState {
  const settings = parseSpec(spec);
  const mode = processModes.find((one) => settings.modes[one] !== undefined);
  if (mode) throw new Error(`Mode "${mode}" needs a server with a process of its own.`);
  return new HostedState(settings);
}

class HostedState extends ServerState {
  override crash(why: string): never {
    throw new Error(`${why}: "${this.settings.name}" has no process of its own that could end.`);
  }
}
