/**
 * Measures whether bodies of very many keys hold up everybody else: how long `/healthz` takes when nobody sends anything, while
 * five bodies of one long text are sent at once, and while five as long ones of keys are. All take turns in one run.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Program, startGateway } from './kit/program.ts';
import { percentile, rounded } from './kit/statistics.ts';

const usage = 'npm run bench:bodies -- [--rounds 20] [--keys 350000] [--json]';
const atOnce = 5;
/** Probes of one lane in one round. */
const probes = 40;

type Body = Buffer<ArrayBuffer>;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '20' },
      keys: { type: 'string', default: '350000' },
      json: { type: 'boolean' },
    },
  });
  const [rounds, keys] = [Number(values.rounds), Number(values.keys)];
  if (!(rounds > 0 && keys > 0)) {
    console.error(usage);
    return 2;
  }
  const { bytes, lanes } = await measure(rounds, keys);
  const p99 = lanes.keys.p99;
  const report = { bytes, atOnce, ...lanes, toTextP99: rounded(p99 / lanes.text.p99, 2) };
  if (values.json) console.info(JSON.stringify(report));
  else {
    console.table(lanes);
    console.info(`${atOnce} bodies of ${bytes} bytes at once; keys to text, p99: ${report.toTextP99} ×`);
  }
  return 0;
}

async function measure(rounds: number, keys: number) {
  const ofKeys = bodyOf(`{${Array.from({ length: keys }, (_, at) => `"k${at.toString(36)}":0`).join(',')}}`);
  const ofText = bodyOf(`{"text":"${'x'.repeat(ofKeys.length)}"}`).subarray(0, ofKeys.length);
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-bodies-'));
  const configFile = join(dataDir, 'toolcrib.json');
  await writeFile(configFile, '{}');
  const gateway = await startGateway({ kind: 'bare', dataDir, configFile });
  const times = { alone: [] as number[], text: [] as number[], keys: [] as number[] };
  try {
    for (let round = -1; round < rounds; round += 1) {
      const alone = await probe(gateway.url);
      const [text, keyed] = [await probeBeside(gateway, ofText), await probeBeside(gateway, ofKeys)];
      // The first round compiles what the others run.
      if (round === -1) continue;
      times.alone.push(...alone);
      times.text.push(...text);
      times.keys.push(...keyed);
    }
  } finally {
    await gateway.stop();
    await rm(dataDir, { recursive: true });
  }
  const lanes = { alone: figuresOf(times.alone), text: figuresOf(times.text), keys: figuresOf(times.keys) };
  return { bytes: ofKeys.length, lanes };
}

/** In milliseconds. */
function figuresOf(times: readonly number[]) {
  return {
    p50: rounded(percentile(times, 0.5)),
    p99: rounded(percentile(times, 0.99)),
    most: rounded(Math.max(...times)),
  };
}

function bodyOf(args: string): Body {
  return Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_info","arguments":${args}}}`,
  );
}

async function probeBeside(gateway: Program, body: Body): Promise<number[]> {
  const sent = Promise.all(Array.from({ length: atOnce }, () => send(gateway, body)));
  const took = await probe(gateway.url);
  await sent;
  return took;
}

async function probe(url: string): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < probes; at += 1) {
    const startedAt = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    took.push(performance.now() - startedAt);
  }
  return took;
}

/** How it is answered does not matter here: the text is no JSON at its end, and the keys are too many. */
async function send({ url, token }: Program, body: Body): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` };
  await (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text();
}
