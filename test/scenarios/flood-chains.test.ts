/** Programs that ask for too much of everything, against a gateway with thousands of tools: nobody else may feel it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';

/** Of the processor, so that a busy machine is not taken for a held loop. Without bounds the first of these took 3 to 18 seconds. */
const longestHoldMs = 1_500;
const mostGrowthBytes = 300 * 2 ** 20;

const toolsOf = (word: string) =>
  Array.from({ length: 1_000 }, (_, at) => ({
    name: `${word}_tool_number_${at}`,
    description: `Does the ${word} thing number ${at}.`,
    inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } },
  }));

let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  const words = ['alpha', 'beta', 'gamma'];
  const planned = planServers(Object.fromEntries(words.map((word) => [word, { tools: toolsOf(word) }])));
  gateway = await openTestGateway({ servers: planned.servers });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
  await run('return 1');
});
after(() => gateway.close());

async function run(code: string, timeoutMs = 30_000) {
  const given = { name: 'call_tool_chain', arguments: { code, timeoutMs } };
  const { structuredContent, isError, content } = (await agent.request('tools/call', given)) as {
    structuredContent: { result?: unknown; notes?: string[] };
    isError?: boolean;
    content: { text: string }[];
  };
  assert.ok(isError !== true, content[0]?.text ?? '');
  return structuredContent;
}

/** Runs it, and tells for how much work the loop was held at most meanwhile, and by how much the process has grown. */
async function watched(
  code: string,
): Promise<{ readonly result: unknown; readonly holdMs: number; readonly grown: number }> {
  const base = process.memoryUsage.rss();
  let peak = base;
  let holdMs = 0;
  let before = process.threadCpuUsage();
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
    const { user, system } = process.threadCpuUsage(before);
    holdMs = Math.max(holdMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
  }, 20);
  try {
    const { result } = await run(code);
    return { result, holdMs, grown: Math.max(peak, process.memoryUsage.rss()) - base };
  } finally {
    clearInterval(look);
  }
}

const floods: Readonly<Record<string, readonly [code: string, result: unknown]>> = {
  'types of one server a hundred thousand times': [
    `return (await types(Array.from({ length: 100000 }, () => 'alpha'))).length > 50000`,
    true,
  ],
  'types of names that are too many': [
    `return await types(Array.from({ length: 5000 }, (_, at) => 'alpha:alpha_tool_number_' + at)).catch((error) => error.code)`,
    'ARGUMENTS_INVALID',
  ],
  'names that nobody has, all different': [
    `const codes = await Promise.all(Array.from({ length: 300 }, (_, at) => info('beta:bta_tol_numbr_' + at + 'x').catch((error) => error.code)));
     return [...new Set(codes)]`,
    ['TOOL_NOT_FOUND'],
  ],
  'calls of one tool that is not there': [
    `const ends = await Promise.allSettled(Array.from({ length: 90 }, (_, id) => servers.gamma.get_invoice({ id })));
     return ends.filter(({ status }) => status === 'rejected').length`,
    90,
  ],
  'a name of a million characters': [
    `return await call('alpha:' + 'tool_'.repeat(200000)).catch((error) => [error.code, error.message.length < 500])`,
    ['TOOL_NOT_FOUND', true],
  ],
  searches: [
    `return (await Promise.all(Array.from({ length: 300 }, (_, at) => search('do the thing number ' + at)))).length`,
    300,
  ],
  'whole schemas': [
    `return (await Promise.all(Array.from({ length: 500 }, (_, at) => info('alpha:alpha_tool_number_' + at, { detail: 'full' })))).length`,
    500,
  ],
  'a large value loaded without end, and nobody who takes it': [
    `const uri = await keep('x'.repeat(1.9e6));
     for (let at = 0; at < 900; at += 1) load(uri).catch(() => {});
     await sleep(1);
     for (const began = Date.now(); Date.now() - began < 2000; );
     return 'enough'`,
    'enough',
  ],
};

for (const [what, [code, expected]] of Object.entries(floods)) {
  test(`[CHAIN-38] ${what}: the loop and the memory stay free`, async () => {
    const { result, holdMs, grown } = await watched(code);
    assert.deepEqual(result, expected);
    assert.ok(holdMs < longestHoldMs, `the loop was held for ${Math.round(holdMs)} ms`);
    assert.ok(grown < mostGrowthBytes, `${Math.round(grown / 2 ** 20)} MB more`);
  });
}
