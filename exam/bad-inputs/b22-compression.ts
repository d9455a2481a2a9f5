/** B22: bodies that are small to send and large to unpack, in both directions, packed once, fifty times, or not as they say. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { sendRaw } from '../../test/kit/raw-http.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { expectBounded, frameBytes, MemoryWatch } from '../kit/large-results.ts';
import { operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const megabyte = 1024 * 1024;
const bodyCapBytes = 4 * megabyte;
/** The loop of the gateway stands still no longer than that, as seen by somebody who asks all the time. */
const mostDelayMs = 250;
const layers = 50;
const rounds = { quick: 2, full: 20 };

interface Bomb {
  readonly name: string;
  readonly encoding: string;
  readonly bytes: Buffer;
}

export const compression: Check = {
  id: 'B22',
  kind: 'bad inputs',
  title: 'Compression bombs, both directions',
  passes: 'refused, memory within four times the cap, the event loop within 250 ms',
  eras: ERAS,
  async run(rig, size) {
    const setup = await rig.open({
      isAlone: true,
      servers: { local: {} },
      config: { connect: { maxRetries: 0, timeoutMs: 5_000 } },
    });
    const bombs = makeBombs(size === 'full' ? 200 : 50);
    const clock = new LoopWatch(setup);
    for (let round = 0; round < rounds[size]; round += 1) {
      await rig.part('requests', () => requests(rig, setup, bombs));
      await rig.part('answers', () => answers(rig, setup, bombs));
    }
    const slowestMs = await clock.stop();
    rig.figure('slowest health ms', slowestMs);
    rig.figure('bombs', bombs.length);
    rig.expect(clock.count > 0, `The gateway was asked only ${clock.count} times meanwhile.`);
    rig.expect(rig.isInTime(slowestMs, mostDelayMs), `Meanwhile an answer took ${Math.round(slowestMs)} ms.`);
    for (const era of ERAS) {
      const { said } = await (await setup.agent(era)).call('local.echo', { text: 'still here' });
      rig.expect(said === 'still here', `${era}: afterwards it said ${said.slice(0, 100)}.`);
    }
  },
};

function makeBombs(megabytes: number): Bomb[] {
  const zeros = Buffer.alloc(megabytes * megabyte, ' ');
  const packed = gzipSync(zeros);
  let many = gzipSync(packed);
  for (let layer = 2; layer < layers; layer += 1) many = gzipSync(many);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 } };
  const small = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  return [
    { name: 'gzip', encoding: 'gzip', bytes: packed },
    { name: 'brotli', encoding: 'br', bytes: brotliCompressSync(zeros, quality) },
    { name: 'deflate', encoding: 'deflate', bytes: deflateSync(zeros) },
    { name: 'zstd', encoding: 'zstd', bytes: zstdCompressSync(zeros) },
    { name: 'gzip in gzip', encoding: Array(layers).fill('gzip').join(', '), bytes: many },
    { name: 'said fifty times', encoding: Array(layers).fill('gzip').join(', '), bytes: gzipSync(small) },
    { name: 'not as it says', encoding: 'gzip', bytes: small },
    { name: 'cut off', encoding: 'gzip', bytes: packed.subarray(0, packed.length / 2) },
    { name: 'of no kind', encoding: 'x-unheard-of', bytes: small },
    { name: 'good, but packed', encoding: 'gzip', bytes: gzipSync(small) },
  ];
}

/** Nothing that is packed is taken from an agent. */
async function requests(rig: Rig, setup: Setup, bombs: readonly Bomb[]): Promise<void> {
  const watch = new MemoryWatch(setup.gateway.pid);
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    for (const { name, encoding, bytes } of bombs) {
      for (const place of [agent.url.pathname + agent.url.search, '/api/servers/list']) {
        const { headers } = agent.written({ id: 1, method: 'tools/list' });
        const all = {
          host: agent.url.host,
          ...headers,
          'content-encoding': encoding,
          'content-length': String(bytes.length),
        };
        const lines = Object.entries({ ...all, connection: 'close' }).map(([key, value]) => `${key}: ${value}\r\n`);
        const head = Buffer.from(`POST ${place} HTTP/1.1\r\n${lines.join('')}\r\n`);
        const { status } = await sendRaw(agent.url.href, Buffer.concat([head, bytes]));
        const isRefused = [400, 403, 413, 415].includes(status);
        rig.expect(isRefused, `${era}: ${name} to ${place} got ${status}.`);
      }
    }
  }
  expectBounded(rig, watch, 'requests', bodyCapBytes);
}

/** A server answers so: to the first word, and as the answer to a call. */
async function answers(rig: Rig, setup: Setup, bombs: readonly Bomb[]): Promise<void> {
  const watch = new MemoryWatch(setup.gateway.pid);
  let bomb: Bomb | undefined;
  let accepted: string | undefined;
  const server = createServer((request, response) => {
    accepted ??= request.headers['accept-encoding'];
    request.resume().on('end', () => (bomb === undefined ? response.writeHead(500).end() : explode(response, bomb)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    for (bomb of bombs) {
      for (const type of ['http', 'sse']) {
        const { text } = await operate(setup, setup.gateway.ownerToken, 'servers.add', {
          name: 'packed',
          spec: { url, type },
        });
        const isFailed = /"state":"failed"/.test(text) || /error/.test(text);
        rig.expect(isFailed, () => `${bomb?.name} from a server: ${text.slice(0, 300)}`);
        await order(setup, 'servers.remove', { name: 'packed' });
      }
    }
    const isPlain = accepted === undefined || /^(?:identity)?$/.test(accepted);
    rig.expect(isPlain, `Servers are told that we take ${accepted}.`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  expectBounded(rig, watch, 'answers', frameBytes);
}

function explode(response: ServerResponse, { encoding, bytes }: Bomb): void {
  response.on('error', () => {});
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(bytes);
}

/** Asks the gateway how it is, one time after the other, and keeps the longest it took, less what we ourselves were late. */
class LoopWatch {
  count = 0;
  readonly #setup: Setup;
  readonly #running: Promise<number>;
  #isOver = false;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#running = this.#run();
  }

  stop(): Promise<number> {
    this.#isOver = true;
    return this.#running;
  }

  async #run(): Promise<number> {
    let slowestMs = 0;
    while (!this.#isOver) {
      let lateMs = 0;
      let before = performance.now();
      const ticks = setInterval(() => {
        lateMs = Math.max(lateMs, performance.now() - before - 10);
        before = performance.now();
      }, 10);
      const startedAt = performance.now();
      await (await fetch(`${this.#setup.gateway.url}/healthz`)).text();
      const tookMs = performance.now() - startedAt;
      lateMs = Math.max(lateMs, performance.now() - before - 10);
      clearInterval(ticks);
      slowestMs = Math.max(slowestMs, tookMs - Math.max(0, lateMs));
      this.count += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return slowestMs;
  }
}
