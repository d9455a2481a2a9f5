/** The owner's door says what to change: each mistake that an owner's agent can make there, in both eras. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const plan = hostServers({ filed: {}, deaf: { modes: { failList: true } } });

let gateway: TestGateway;
before(async () => {
  const absent = { command: 'no-such-program-anywhere' };
  gateway = await openListedGateway({ servers: { ...plan.servers, absent }, config: { connect: { maxRetries: 0 } } });
});
after(() => gateway.close());

interface Mistake {
  readonly name: string;
  readonly args: Dict;
  readonly code: string;
  /** The expected text of the answer. */
  readonly says: RegExp;
}

const mistakes: readonly Mistake[] = [
  {
    name: 'add_server',
    args: { name: 'filed', command: 'x' },
    code: 'NAME_TAKEN',
    says: /already a server "filed"[\s\S]*1\. Call again with a name that is not taken\./,
  },
  {
    name: 'add_server',
    args: { name: 'new', comand: 'x' },
    code: 'CONFIG_INVALID',
    says: /"comand"[\s\S]*1\. Correct the values that the message names/,
  },
  { name: 'add_server', args: { name: 'new' }, code: 'CONFIG_INVALID', says: /"command"[\s\S]*1\. Correct the values/ },
  {
    name: 'add_server',
    args: { name: 'new', url: 'ftp://x' },
    code: 'CONFIG_INVALID',
    says: /http[\s\S]*1\. Correct the values/,
  },
  {
    name: 'remove_server',
    args: { name: 'filed' },
    code: 'USAGE',
    says: /comes from the config file[\s\S]*1\. Change what the message names/,
  },
  { name: 'remove_server', args: { name: 'fild' }, code: 'SERVER_NOT_FOUND', says: /1\. Call list_servers\./ },
  { name: 'remove_server', args: {}, code: 'ARGUMENTS_INVALID', says: /"name" is missing/ },
  {
    name: 'refresh_server',
    args: { name: 'absent', force: true },
    code: 'SERVER_NOT_RUNNING',
    says: /remove_server and add_server/,
  },
  {
    name: 'refresh_server',
    args: { name: 'deaf' },
    code: 'TOOL_FAILED',
    says: /"deaf" could not be listed[\s\S]*refresh_server/,
  },
  { name: 'get_tool_alternatives', args: { toolKey: 'x' }, code: 'TOOL_NOT_FOUND', says: /list_tools_meta/ },
  { name: 'list_serverz', args: {}, code: 'TOOL_NOT_FOUND', says: /Did you mean "list_servers"/ },
];

for (const kind of KINDS) {
  test(`[ADVICE-02] each mistake at the owner's door is answered with what to change (${kind})`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/gateway/mcp`, { headers: gateway.ownerHeaders });
    for (const { name, args, code, says } of mistakes) {
      const result = await agent.call(name, args);
      const [block] = result.content as { text: string }[];
      const text = block?.text ?? '';
      assert.equal((result.structuredContent as Dict).errorType, code, text);
      assert.match(text, says);
      assert.match(text, /\nRECOVERY: [^\n]+\nSTEPS:\n1\. /);
      assert.doesNotMatch(text, /again later/);
    }
  });
}
