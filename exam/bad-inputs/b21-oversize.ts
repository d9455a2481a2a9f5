/** B21: messages that are too large, in both directions: announced, in chunks without end, in one line, and without one. */

import { eventually } from '../../test/kit/processes.ts';
import { openSocket, pour, type RawAnswer } from '../../test/kit/raw-http.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { expectBounded, expectLarge, frameBytes, MemoryWatch } from '../kit/large-results.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const megabyte = 1024 * 1024;
const bodyCapBytes = 4 * megabyte;
const sizes = { quick: { endlessBytes: 300 * megabyte }, full: { endlessBytes: 1024 * megabyte } };
/** A connection holds this much on its way, read by nobody. */
const mostTakenBytes = 40 * megabyte;
/** For as much as comes before a limit is reached, on a busy machine, and then five seconds. */
const answerWithinMs = 30_000;
/** Long enough for everything that a busy machine has to read until a limit is reached. */
const timeoutMs = 25_000;
const healWithinMs = 150_000;
const tools = [
  { name: 'flood', runAs: 'flood' },
  { name: 'echo', inputSchema: { type: 'object' } },
];

export const oversize: Check = {
  id: 'B21',
  kind: 'bad inputs',
  title: 'Oversize, both directions',
  passes: '413, an error that names the limit, or a link; nothing is buffered beyond four times the cap',
  eras: ERAS,
  async run(rig, size) {
    const { endlessBytes } = sizes[size];
    const entry = { timeoutMs: rig.patience(timeoutMs) };
    const setup = await rig.open({
      isAlone: true,
      servers: {
        local: { tools, entry },
        remote: { transport: 'http', era: 'modern', tools, entry },
        stream: { transport: 'http', era: 'modern', responses: 'sse', tools, entry },
      },
    });
    await rig.part('bodies', () => bodies(rig, setup, endlessBytes));
    for (const [at, name] of ['local', 'remote', 'stream'].entries()) {
      const agent = await setup.agent(ERAS[at % 2] ?? 'modern');
      // Of the others S05 takes such a line in every examination.
      if (size === 'full' || name === 'stream')
        await rig.part(`${name}, one line`, () => oneLine(rig, setup, agent, name));
      // One limit counts for all; from a local one `test/scenarios/results-memory.test.ts` takes such a result in every run.
      if (size === 'full' || name === 'remote')
        await rig.part(`${name}, no end`, () => noEnd(rig, setup, agent, name, endlessBytes));
    }
  },
};

async function bodies(rig: Rig, setup: Setup, endlessBytes: number): Promise<void> {
  const first = await setup.agent('modern');
  // Bodies just within the limit set the measure, so they go first; often enough that garbage has been as high as it gets.
  const watch = new MemoryWatch(setup.gateway.pid);
  for (let turn = 0; turn < 24; turn += 1) await first.call('sibling.echo', { text: 'x'.repeat(bodyCapBytes - 4_096) });
  watch.countFromHere();
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    const filler = Buffer.alloc(64 * 1024, 'x');
    const chunk = Buffer.concat([Buffer.from(`${filler.length.toString(16)}\r\n`), filler, Buffer.from('\r\n')]);
    const plusOne = await agent.request({
      id: 1,
      method: 'tools/call',
      params: { name: 'sibling.echo' },
      body: 'x'.repeat(bodyCapBytes + 1),
    });
    rig.expect(plusOne.status === 413, `${era}: one byte too many got ${plusOne.status}.`);
    const announced = await pourBody(agent, { 'content-length': String(endlessBytes) }, filler, endlessBytes);
    expectRefused(rig, `${era}, announced`, announced);
    const chunked = await pourBody(agent, { 'transfer-encoding': 'chunked' }, chunk, endlessBytes);
    expectRefused(rig, `${era}, in chunks`, chunked);
  }
  expectBounded(rig, watch, 'bodies', bodyCapBytes);
}

type Poured = { readonly answer: RawAnswer; readonly sentBytes: number };

async function pourBody(agent: ExamAgent, more: Record<string, string>, piece: Buffer, bytes: number): Promise<Poured> {
  const { headers } = agent.written({ id: 1, method: 'tools/call', params: { name: 'sibling.echo' } });
  const lines = Object.entries({ host: agent.url.host, ...headers, ...more }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const socket = await openSocket(agent.url.href);
  socket.write(`POST ${agent.url.pathname}${agent.url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return pour(socket, piece, bytes);
}

function expectRefused(rig: Rig, where: string, { answer, sentBytes }: Poured): void {
  rig.figure('takenMb', sentBytes / megabyte);
  rig.expect(answer.status === 413, `${where}: ${answer.status} ${answer.head.slice(0, 200)}`);
  rig.expect(sentBytes <= mostTakenBytes, `${where}: ${sentBytes} bytes were taken.`);
}

async function oneLine(rig: Rig, setup: Setup, agent: ExamAgent, name: string): Promise<void> {
  const needle = rig.random.word('needle');
  const watch = new MemoryWatch(setup.gateway.pid);
  const reply = await agent.call(
    `${name}.flood`,
    { bytes: 100 * megabyte, needle },
    { deadlineMs: rig.patience(answerWithinMs) },
  );
  rig.figure('lineMs', reply.tookMs);
  await expectLarge(rig, agent, `100 MB in one line from ${name}`, reply, needle);
  expectBounded(rig, watch, `one line ${name}`, frameBytes);
}

async function noEnd(rig: Rig, setup: Setup, agent: ExamAgent, name: string, bytes: number): Promise<void> {
  const watch = new MemoryWatch(setup.gateway.pid);
  const reply = await agent.call(
    `${name}.flood`,
    { bytes, endless: true },
    { deadlineMs: rig.patience(answerWithinMs) },
  );
  rig.figure('noEndMs', reply.tookMs);
  const isNamed = reply.isError && reply.errorType === 'TOO_LARGE' && /\d/.test(reply.said);
  rig.expect(
    isNamed,
    () => `${name} without an end, after ${Math.round(reply.tookMs)} ms: ${reply.status} ${reply.text.slice(0, 300)}`,
  );
  expectBounded(rig, watch, `no end ${name}`, frameBytes);
  // Over stdio that takes until the timeout and longer, so a quick examination leaves it out.
  if (rig.size === 'full') await expectNoHang(rig, agent, name);
}

/** A line without an end swallows what comes after it: the next call gets an answer or an error, and in time it heals. */
async function expectNoHang(rig: Rig, agent: ExamAgent, name: string): Promise<void> {
  const { said, isError, errorType, tookMs } = await agent.call(`${name}.echo`, { text: 'after' });
  rig.figure('afterMs', tookMs);
  const isClean = isError ? errorType !== undefined : said.includes('after');
  rig.expect(
    isClean && rig.isInTime(tookMs, timeoutMs + 1_000),
    `${name}, the call after it, ${Math.round(tookMs)} ms: ${said.slice(0, 300)}`,
  );
  const isBack = async () => !(await agent.call(`${name}.echo`, { text: 'back' })).isError || undefined;
  await eventually(`${name} answers again`, isBack, healWithinMs);
}
