/** Programs of agents: many ordinary calls in one, by agents of both eras on every surface. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { approveWaiting } from '../kit/approve-waiting.ts';
import { resultOf, runChain } from '../kit/chains.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const object = (properties: Dict, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const number = { type: 'number' };
const string = { type: 'string' };
const reads = { annotations: { readOnlyHint: true } };

const plan = hostServers({
  crm: {
    tools: [
      {
        name: 'search_customers',
        description: 'Searches customers by what they have spent.',
        inputSchema: object({ count: number }),
        runAs: 'rows',
        ...reads,
      },
    ],
  },
  'bill-ing': {
    tools: [
      { name: 'get-invoice', description: 'Gives an invoice.', inputSchema: object({ customer: number }), ...reads },
      { name: 'refuse', description: 'Refuses.', respond: { content: [{ type: 'text', text: 'No.' }], isError: true } },
    ],
  },
  notes: {
    tools: [
      {
        name: 'create_note',
        description: 'Creates a note.',
        inputSchema: object({ title: string, lines: { type: 'array' } }),
      },
      { name: 'wipe_notes', description: 'Deletes every note.' },
    ],
    entry: { permissions: { wipe_notes: 'deny' } },
  },
  'my-files': { tools: [{ name: 'look', description: 'Looks.' }] },
  my_files: { tools: [{ name: 'look', description: 'Looks.' }] },
  secret: { tools: [{ name: 'tell_secret', description: 'Tells it.' }], entry: { permissions: { '*': 'deny' } } },
  vault: { tools: [{ name: 'open_vault', description: 'Opens the vault.' }], entry: { projects: ['bank'] } },
});
let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
  const alike = ['my-files', 'my_files'];
  for (const name of alike) await gateway.gateway.admin.run('servers.refresh', { name });
  const held = (await Promise.all(alike.map((server) => approveWaiting(gateway, server)))).flat();
  assert.equal(
    held.length,
    1,
    'whichever comes second has the name and the tool of the first, for which its owner is asked',
  );
});
after(() => gateway.close());

const join50 = `const { rows } = await servers.crm.search_customers({ count: 50 });
const invoices = await Promise.all(rows.map(({ id }) => servers.bill_ing.get_invoice({ customer: id })));
const large = rows.filter((row, at) => row.price >= 10 && invoices[at].arguments.customer === row.id);
await servers.notes.create_note({ title: 'Large customers', lines: large.map(({ name, price }) => \`\${name}: \${price}\`) });
return { large: large.length, total: large.reduce((sum, { price }) => sum + price, 0) };`;

test('[CHAIN-01] three servers are joined in one program, with at least ten times fewer tokens than by single calls', async () => {
  for (const kind of KINDS) {
    await using caller = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    const chained = await runChain(caller, join50);
    assert.ok(!chained.isError, chained.text);
    assert.deepEqual(chained.result, { large: 10, total: 111.25 });
    assert.deepEqual(
      chained.calls.map(({ tool, ok, cached, count }) => [tool, ok, cached, count]),
      [
        ['crm:search_customers', true, false, undefined],
        ['bill-ing:get-invoice', true, false, 50],
        ['notes:create_note', true, false, undefined],
      ],
    );
    const single = await tokensOfSingleCalls();
    const program = tokensOf({ name: 'call_tool_chain', arguments: { code: join50 } }, chained.text);
    assert.ok(single >= 10 * program, `${single} tokens by single calls, ${program} by the program`);
  }
});

/** The text that a model writes and reads: the call as it has to be written, and its answer. */
function tokensOf(request: Dict, text: string): number {
  return countTokens(JSON.stringify(request)) + countTokens(text);
}

/** The same work with one call after the other: what the last one is given is what the others brought. */
async function tokensOfSingleCalls(): Promise<number> {
  let tokens = 0;
  const call = async (toolKey: string, args: Dict): Promise<Dict> => {
    const request = { name: 'tool_execute', arguments: { toolKey, arguments: args } };
    const text = await agent.say(request.name, request.arguments);
    tokens += tokensOf(request, text);
    return JSON.parse(text) as Dict;
  };
  const { rows } = (await call('crm:search_customers', { count: 50 })) as {
    rows: { id: number; name: string; price: number }[];
  };
  for (const { id } of rows) await call('bill-ing:get-invoice', { customer: id });
  const lines = rows.filter(({ price }) => price >= 10).map(({ name, price }) => `${name}: ${price}`);
  await call('notes:create_note', { title: 'Large customers', lines });
  return tokens;
}

test('[CHAIN-02] every call of a program is an ordinary call: checked, measured, of its agent', async () => {
  const rowsBefore = callRows().length;
  const { result } = await runChain(
    agent,
    `await servers.notes.create_note({ title: 'One', lines: [] });
     const wrong = await servers.notes.create_note({ titel: 'Two' }).catch((error) => error);
     const refused = await call('bill-ing:refuse').catch((error) => error);
     return [wrong.code, wrong.tool, refused.code, refused.message];`,
  );
  assert.deepEqual(result, [
    'ARGUMENTS_INVALID',
    'notes:create_note',
    'TOOL_FAILED',
    'Tool "bill-ing:refuse" failed: No.',
  ]);
  const rows = callRows().slice(rowsBefore);
  assert.deepEqual(
    rows.map(({ server, tool, way, outcome, principal }) => [server, tool, way, outcome, principal]),
    [
      ['notes', 'create_note', 'chain', 'ok', 'agent'],
      ['notes', 'create_note', 'chain', 'arguments', 'agent'],
      ['bill-ing', 'refuse', 'chain', 'tool', 'agent'],
    ],
  );
});

function callRows(): Dict[] {
  const store = new DatabaseSync(join(gateway.dataDir, 'toolcrib.db'), { readOnly: true });
  try {
    return store.prepare('select * from call order by id').all() as Dict[];
  } finally {
    store.close();
  }
}

test('[CHAIN-03] a tool that may not be called is neither executed nor described in a program', async () => {
  const ways = (name: string) => [
    `servers.notes.${name}()`,
    `call('notes:${name}')`,
    `call('${name}')`,
    `servers.${name}.run()`,
    `info('notes:${name}')`,
    `types('notes:${name}')`,
    `tool_execute({ toolKey: 'notes:${name}' })`,
  ];
  const told = async (name: string) =>
    resultOf(
      agent,
      `const tell = ({ code, message, hint, data }) => [code, message, hint, data];
       return await Promise.all([${ways(name).join(',')}].map((asked) => asked.then(() => 'answered', tell)));`,
    );
  // Each beside a name that is nobody's and just as near to what can be seen.
  for (const [name, nobodys] of [
    ['wipe_notes', 'wape_notes'],
    ['wipeNotes', 'wapeNotes'],
    ['tell_secret', 'tall_secret'],
  ] as const)
    assert.equal(JSON.stringify(await told(name)).replaceAll(name, nobodys), JSON.stringify(await told(nobodys)));
  const seen = await resultOf(
    agent,
    `return JSON.stringify([
       Object.keys(servers), Object.keys(servers.notes), await types('notes'),
       await search({ query: ['tell the secret', 'delete every note'], maxResults: 100 }),
     ]);`,
  );
  assert.doesNotMatch(String(seen), /wipe|tell_secret/);
  assert.equal(
    plan.noted('notes', 'tool').some(({ name }) => name === 'wipe_notes'),
    false,
  );
  assert.equal(plan.noted('secret', 'tool').length, 0);
});

test('[CHAIN-04] the door of a project gives its programs only its own servers', async () => {
  const bank = new ModernAgent(gateway, '/projects/bank/mcp?surface=search');
  assert.deepEqual(await resultOf(bank, 'return Object.keys(servers)'), ['vault']);
  const { calls } = await runChain(bank, 'return await servers.vault.open_vault()');
  assert.deepEqual(
    calls.map(({ tool, ok }) => [tool, ok]),
    [['vault:open_vault', true]],
  );
  const refused = await runChain(bank, 'return await servers.crm.search_customers({ count: 1 })');
  assert.equal(refused.data.errorType, 'SERVER_NOT_FOUND');
});

test('[CHAIN-05] names with dashes and dots are reached in every way in which programs write them', async () => {
  const written = [
    "servers['bill-ing']['get-invoice']",
    'servers.bill_ing.get_invoice',
    'servers.billIng.getInvoice',
    "((args) => call('bill-ing:get-invoice', args))",
    "((args) => call('bill-ing.get-invoice', args))",
    "((args) => call('bill-ing__get-invoice', args))",
    "((args) => tool_execute({ toolKey: 'bill-ing:get-invoice', arguments: args }))",
    "((args) => call_tool({ server: 'bill-ing', tool: 'get-invoice', arguments: args }))",
  ];
  const answers = await resultOf(
    agent,
    `return await Promise.all([${written.join(',')}].map((run, at) => run({ customer: at })));`,
  );
  assert.deepEqual(
    (answers as Dict[]).map((answer) => [answer.tool, (answer.arguments as Dict).customer]),
    written.map((_, at) => ['get-invoice', at]),
  );
});

test('[CHAIN-05] servers with names that differ only in such signs are told apart', async () => {
  const answers = await resultOf(
    agent,
    `const exact = await Promise.all([servers['my-files'].look(), servers.my_files.look(), call('my-files.look'), my_files.look()]);
     const unclear = await servers.myFiles.look().catch(({ code, data }) => [code, ...data.nearest]);
     return [exact.map(({ server }) => server), unclear, Object.keys(servers['my-files']), Object.keys(servers.my_files)];`,
  );
  assert.deepEqual(answers, [
    ['my-files', 'my_files', 'my-files', 'my_files'],
    ['TOOLKEY_INVALID', 'my-files:look', 'my_files:look'],
    ['look'],
    ['look'],
  ]);
});

test('[CHAIN-06] a program that fails says where and why, what it did before, and how to go on', async () => {
  const failed = await runChain(
    agent,
    `console.log('begins');
const kept = await keep({ step: 1 }, 'progress');
await servers.crm.search_customers({ count: 1 });
await servers.crm.search_customer({ count: 1 });
return 'never';`,
  );
  assert.equal(failed.isError, true);
  const { errorType, line, excerpt, recoverySteps, recoveryAction, hint, kept } = failed.data as Dict & {
    kept: Dict[];
  };
  assert.equal(errorType, 'TOOL_NOT_FOUND');
  assert.equal(line, 4);
  assert.match(String(excerpt), /search_customer\(/);
  assert.match(String(hint), /search_customers/);
  assert.equal(typeof recoveryAction, 'string');
  assert.match((recoverySteps as string[]).join('\n'), /search\(.*listed as ok were made/s);
  assert.deepEqual(failed.logs, ['begins']);
  assert.deepEqual(
    failed.calls.map(({ tool, ok }) => [tool, ok]),
    [['crm:search_customers', true]],
  );
  assert.deepEqual(
    kept.map(({ name }) => name),
    ['progress'],
  );
  for (const part of [
    /^The program .*line 4.*no tool "search_customer"/,
    /^RECOVERY: /m,
    /^STEPS:\n1\. /m,
    /^LINE 4: /m,
  ])
    assert.match(failed.text, part);
  assert.match(failed.text, /^CALLS: crm:search_customers ok, \d+ ms$/m);
  assert.match(failed.text, /^LOGS:\nbegins$/m);

  const mistakes: readonly (readonly [code: string, errorType: string, words: RegExp])[] = [
    ['return 1 +;', 'ARGUMENTS_INVALID', /cannot be read at line 1/],
    ['throw new Error("my own")', 'TOOL_FAILED', /failed at line 1: Error: my own/],
    ['return await servers.notes.create_note({ titel: "x" })', 'ARGUMENTS_INVALID', /titel|title/],
    ["return await call('bill-ing:refuse')", 'TOOL_FAILED', /Tool "bill-ing:refuse" failed: No\./],
  ];
  for (const [code, type, words] of mistakes) {
    const answer = await runChain(agent, code);
    assert.equal(answer.data.errorType, type, answer.text);
    assert.match(answer.text, words);
  }
});

test('[CHAIN-07] programs are answered on every surface, and listed where they are the way to work', async () => {
  for (const [surface, isListed] of [
    ['search', true],
    ['code', true],
    ['full', true],
    ['direct', false],
  ] as const) {
    const caller = new ModernAgent(gateway, `/mcp?surface=${surface}`);
    assert.equal((await caller.tools()).includes('call_tool_chain'), isListed, surface);
    assert.equal(await resultOf(caller, 'return (await servers.crm.search_customers({ count: 3 })).total'), 3, surface);
  }
});

test('[CHAIN-07] where programs are switched off, they are not listed and say so when they are called', async () => {
  await using off = await openTestGateway({ servers: {}, config: { chains: { enabled: false } } });
  for (const surface of ['search', 'code', 'full', 'direct']) {
    const caller = new ModernAgent(off, `/mcp?surface=${surface}`);
    assert.equal((await caller.tools()).includes('call_tool_chain'), false, surface);
    const refused = await runChain(caller, 'return 1');
    assert.equal(refused.data.errorType, 'TOOL_DISABLED', surface);
    assert.match(refused.text, /switched off/);
  }
});

test('[CHAIN-08] a program looks up tools, schemas and types without a word of them reaching the agent', async () => {
  const found = (await resultOf(
    agent,
    `const { tools } = await search('search customers');
     const { inputSchema, parameters } = await info(tools[0].toolKey);
     const declared = await types('crm');
     return [declared, tools[0].toolKey, inputSchema.required, parameters];`,
  )) as unknown[];
  const [declared, ...others] = found;
  assert.deepEqual(others, ['crm:search_customers', ['count'], 'count: number']);
  assert.match(String(declared), /search_customers\(.*count: number/s);
});
