/** Operations for a token that is limited to servers: every one in the table, so that a new one cannot forget the limit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '../../src/access/access.ts';
import { operations } from '../../src/admin/admin.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { makeToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';

type Dict = Record<string, unknown>;

/** One name has a server that the token does not have, the other has none: nobody can tell them apart. */
const hidden = 'vault-a';
const absent = 'vault-b';
const tool = 'open_vault';

/** Inputs that are about a server. */
const about: Readonly<Record<string, (server: string) => readonly Dict[]>> = {
  'tools.list': (server) => [{ server }, {}],
  'tools.search': (server) => [{ query: tool, server }, { query: 'open the vault' }],
  'tools.recommend': () => [{ task: 'open the vault', limit: 20 }],
  'tools.info': (server) => [{ toolKey: `${server}:${tool}`, full: true }],
  'tools.call': (server) => [{ toolKey: `${server}:${tool}`, arguments: {} }],
  'tools.chain': (server) => [{ code: `return await call('${server}:${tool}', {})` }],
  'results.read': (server) => [{ id: server }],
  'optimize.report': (server) => [{ server, format: 'markdown' }, {}],
  'optimize.candidates': (server) => [{ server }, { server, tool, description: 'Opens the vault that is named.' }],
  'optimize.prompts': (server) => [{ server }, { server, tool, prompts: [] }],
  'optimize.results': (server) => [{ server, tool }],
  'optimize.confusions': (server) => [{ server }],
  'optimize.run': (server) => [{ server, dryRun: true }, { dryRun: true }],
  'optimize.jobs': () => [{}],
  'optimize.cancel': (server) => [{ id: server }],
  'optimize.promote': (server) => [{ server, tool, candidateId: 'cand_1' }],
  'optimize.revert': (server) => [{ server, tool }],
  'optimize.export': (server) => [{ server }],
  'optimize.import': (server) => [{ server, path: 'candidates.json', content: [] }],
};

const scopes: readonly (readonly [name: string, scope: Scope])[] = Object.entries(operations).map(([name, one]) => [
  name,
  one.scope ?? 'admin',
]);

test('[ACC-33] every operation keeps a limited token from other servers, or is the owner’s alone', async () => {
  const mail = [{ name: 'send_mail', description: 'Sends an e-mail.', runAs: 'echo' }];
  const vault = [{ name: tool, description: 'Opens the vault.', runAs: 'echo' }];
  await using gateway = await openTestGateway({
    servers: {
      mail: hostedServer({ name: 'mail', tools: mail as never }),
      [hidden]: hostedServer({ name: hidden, tools: vault as never }),
    },
    config: { optimize: { enabled: true } },
  });
  const limited = await makeToken(gateway, { scopes: ['use', 'optimize'], servers: ['mail'] });
  const unlimited = await makeToken(gateway, { scopes: ['use', 'optimize'] });
  const ask = async (name: string, input: Dict, { headers } = limited) => {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const response = await fetch(`${gateway.url}/api/${name.replaceAll('.', '/')}`, {
      ...init,
      body: JSON.stringify(input),
    });
    return { status: response.status, text: await response.text() };
  };
  // So that a look can tell.
  for (const name of ['tools.list', 'optimize.report'])
    assert.match((await ask(name, {}, unlimited)).text, new RegExp(`${hidden}.*${tool}`), name);
  for (const [name, scope] of scopes) {
    if (scope === 'admin') {
      assert.equal((await ask(name, {})).status, 403, name);
      continue;
    }
    const inputs = about[name];
    assert.ok(inputs, `${name} is not only for the owner: say here what it can be asked about a server.`);
    const [ofHidden, ofAbsent] = [inputs(hidden), inputs(absent)];
    for (const [at, input] of ofHidden.entries()) {
      const title = `${name} ${JSON.stringify(input)}`;
      const { status, text } = await ask(name, input);
      const other = await ask(name, ofAbsent[at] ?? {});
      assert.equal(steady(text), steady(other.text.replaceAll(absent, hidden)), title);
      assert.equal(status, other.status, title);
      if (!JSON.stringify(input).includes(hidden)) assert.doesNotMatch(text, new RegExp(`${hidden}|${tool}`), title);
    }
  }
});

/** Without what differs from one request to the next. */
function steady(text: string): string {
  return text.replaceAll(/"(durationMs|latencyMs|elapsedMs|ms|at|generatedAt)":("[^"]*"|[\d.]+)/g, '"$1":0');
}
