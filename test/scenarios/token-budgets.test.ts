/** The text that an agent has to read at the start and on its way to a tool, as it arrives, with few tools and with many. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostedServer } from '../servers/hosted.ts';
import type { Dict } from '../servers/rpc.ts';

const things = 'invoice order parcel refund voucher contract meeting ticket release backup report survey'.split(' ');
const settings =
  'project status assignee reporter priority labels component created_after created_before updated_after order_by max_results start_at include_archived expand fields time_zone language format dry_run cursor page_size'.split(
    ' ',
  );

/** Tools as wordy as the worst of real ones. */
const wordy = things.map((thing) => ({
  name: `search_and_update_every_${thing}`,
  description: `Searches every ${thing} of a customer by a query in its own language, with fields such as status, owner and dates, then changes all that match it and gives the keys, the summaries and a link to each of them. ${'More about it. '.repeat(40)}`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for.' },
      mode: { type: 'string', enum: ['preview', 'apply', 'apply_and_notify'] },
      ...Object.fromEntries(settings.map((name) => [name, { type: 'array', items: { type: 'string' } }])),
    },
    required: ['query', 'mode'],
  },
  respond: { content: [{ type: 'text', text: `{"changed":3,"of":"${thing}"}` }] },
}));

let few: TestGateway;
let many: TestGateway;
before(async () => {
  few = await openTestGateway({ servers: { small: hostedServer({ name: 'small', toolCount: 3 }) } });
  const crowds = ['crowd-one', 'crowd-two', 'crowd-three'].map((name) => [
    name,
    hostedServer({ name, toolCount: 1_000 }),
  ]);
  const desk = hostedServer({ name: 'wordy-desk', tools: wordy });
  many = await openTestGateway({ servers: { ...Object.fromEntries(crowds), 'wordy-desk': desk } });
});
after(() => Promise.all([few.close(), many.close()]));

async function startOf(gateway: TestGateway, surface: string): Promise<number> {
  const agent = new ModernAgent(gateway, `/mcp?surface=${surface}`);
  const { instructions } = await agent.request('server/discover');
  const { tools } = await agent.request('tools/list');
  return countTokens(String(instructions)) + countTokens(JSON.stringify(tools));
}

test('[SEE-20] a start takes at most 900 tokens on search and 500 on code, with three tools or three thousand', async () => {
  for (const [surface, most] of [
    ['search', 900],
    ['code', 500],
  ] as const) {
    const [small, large] = [await startOf(few, surface), await startOf(many, surface)];
    assert.ok(Math.max(small, large) <= most, `${surface}: ${small} and ${large}`);
    // Between none and all of the room that the index of what there is may take.
    assert.ok(large - small <= 120, `${surface}: ${small} and ${large}`);
  }
});

test('[SEE-21] ten tools take at most 700 tokens at summary and one at most 200 in brief, however wordy they are', async () => {
  const agent = new ModernAgent(many, '/mcp?surface=search');
  const found = await agent.call('tool_discovery', {
    query: 'search and update everything of a customer',
    server: 'wordy-desk',
  });
  const { tools } = found.result.structuredContent as { tools: Dict[] };
  assert.equal(tools.length, 10);
  assert.ok(countTokens(found.text) <= 700, String(countTokens(found.text)));
  for (const { parameters, description } of tools) {
    assert.match(String(parameters), /^query/);
    assert.match(String(description), /^Searches every/);
  }
  for (const { name } of wordy) {
    const { text } = await agent.call('tool_info', { toolKey: `wordy-desk:${name}` });
    assert.ok(countTokens(text) <= 200, `${name}: ${countTokens(text)}`);
    assert.match(text, /mode: preview\|apply\|apply_and_notify/);
  }
});

test('[SEE-22] finding a tool and calling it takes at most 1,500 tokens, by tool_execute and by a program', async () => {
  const query = 'update all parcels of a customer';
  const toolKey = 'wordy-desk:search_and_update_every_parcel';
  const given = { query: 'late', mode: 'apply' };
  const code = `return await servers['wordy-desk'].search_and_update_every_parcel(${JSON.stringify(given)})`;
  const errands: [string, [string, Dict][]][] = [
    [
      'search',
      [
        ['tool_discovery', { query }],
        ['tool_execute', { toolKey, arguments: given }],
      ],
    ],
    [
      'code',
      [
        ['tool_discovery', { query }],
        ['call_tool_chain', { code }],
      ],
    ],
  ];
  for (const [surface, steps] of errands) {
    const agent = new ModernAgent(many, `/mcp?surface=${surface}`);
    let tokens = 0;
    for (const [name, args] of steps) {
      const { text, isError } = await agent.call(name, args);
      assert.ok(!isError, text);
      assert.match(text, /parcel/);
      tokens += countTokens(JSON.stringify({ name, arguments: args })) + countTokens(text);
    }
    assert.ok(tokens <= 1_500, `${surface}: ${tokens}`);
  }
});
