/**
 * Test servers inside the test's own process, over HTTP at one port: for tests that do not care how a server is reached. A
 * process for each would cost a tenth of a second of the processor.
 */

import type { RequestListener } from 'node:http';
import { listenAt } from './http-front.ts';
import { ServerState } from './server-state.ts';
import { type Modes, parseSpec, type ServerSpec } from './spec.ts';
import { answeringHttp } from './transport-http.ts';

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
  const settings = parseSpec({ ...spec, transport: 'http' });
  const mode = processModes.find((one) => settings.modes[one] !== undefined);
  if (mode) throw new Error(`Mode "${mode}" needs a server with a process of its own.`);
  const id = String(hosted.size);
  hosted.set(id, answeringHttp(new HostedState(settings)));
  return { url: `${origin}/${id}/mcp` };
}

class HostedState extends ServerState {
  override crash(why: string): never {
    throw new Error(`${why}: "${this.settings.name}" has no process of its own that could end.`);
  }
}
