/** Tests of the one rule for tools: who is refused what, in which order, and who says so. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAmong } from '../base/pattern.ts';
import { parseProject, parseServer } from '../config/config.ts';
import { authorize, mayHideTools, refusalOf, serverRefusalOf } from './authorize.ts';
import type { Principal } from './principal.ts';
import { type Project, projectFrom, projectOf } from './project.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };

function spec(more: Record<string, unknown> = {}, name = 'github') {
  return parseServer(name, { command: 'serve', ...more }, {}, 'file');
}

function project(settings: Record<string, unknown>): Project {
  return projectFrom('shop', 'file', parseProject('shop', settings));
}

test('each refusal comes before the ones behind it', () => {
  const all = { tools: ['get_*'], permissions: { get_secret: 'deny' } };
  const shut: Principal = { ...agent, scopes: new Set(['metrics']), servers: ['jira'], project: projectOf('shop') };
  const refusals = (principal: Principal, more: Record<string, unknown>) =>
    ['wipe', 'get_secret', 'get_issue'].map((tool) => refusalOf(principal, spec(more), tool));
  assert.deepEqual(refusals(shut, { ...all, enabled: false }), ['scope', 'scope', 'scope']);
  const using = { ...shut, scopes: agent.scopes };
  assert.deepEqual(refusals(using, { ...all, enabled: false }), ['off', 'off', 'off']);
  assert.deepEqual(refusals(using, all), ['server', 'server', 'server']);
  const reaching = { ...using, servers: ['git*'] };
  assert.deepEqual(refusals(reaching, all), ['project', 'project', 'project']);
  assert.deepEqual(refusals(reaching, { ...all, projects: ['shop'] }), ['hidden', 'denied', null]);
  assert.deepEqual(refusals(agent, all), ['hidden', 'denied', null]);
  assert.equal(refusalOf({ ...agent, scopes: new Set(['admin']) }, spec(), 'wipe'), null);
});

test('[ACC-05] a name that folds to a forbidden one is forbidden, and one that folds to an allowed one is not allowed by it', () => {
  const ofServer = (permissions: Record<string, string>, tool: string) => authorize(agent, spec({ permissions }), tool);
  for (const tool of ['erase', 'Erase', 'ERASE ', 'ｅrase', 'era\u00adse', 'ERAſE']) {
    assert.equal(ofServer({ erase: 'deny' }, tool), 'deny', tool);
    assert.equal(ofServer({ 'Erase ': 'ask' }, tool), 'ask', tool);
    assert.equal(ofServer({ 'ERA*': 'deny' }, tool), 'deny', tool);
    const shop = project({ servers: ['github'], permissions: { 'github:Erase': 'deny' } });
    assert.equal(authorize({ ...agent, project: shop }, spec(), tool), 'deny', tool);
  }
  for (const tool of ['erase', 'Erase']) assert.equal(ofServer({ erase: 'deny', Erase: 'allow' }, tool), 'deny');
  assert.equal(ofServer({ '*': 'deny', read: 'allow' }, 'read'), 'allow');
  assert.equal(ofServer({ '*': 'deny', read: 'allow' }, 'Read'), 'deny');
  assert.equal(ofServer({ safe: 'allow', '*': 'ask' }, 'safe\0'), 'ask');
  assert.equal(ofServer({ safe: 'deny' }, 'safe\0'), 'allow');
  assert.equal(authorize(agent, spec({ tools: ['read'] }), 'Read'), 'deny');
});

test('a server is in a project that names it or that it names', () => {
  const isIn = (settings: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    serverRefusalOf({ ...agent, project: project(settings) }, spec(more)) === null;
  assert.equal(isIn({}), false);
  assert.equal(isIn({}, { projects: ['shop'] }), true);
  assert.equal(isIn({ servers: ['github'] }), true);
  assert.equal(isIn({ servers: ['*'] }), true);
  assert.equal(isIn({ servers: ['git'] }), false);
});

test('the most specific name of a table counts, and of equal ones the strictest', () => {
  const permissions = {
    '*': 'deny',
    'get_*': 'ask',
    get_issue: 'allow',
    '*_user': 'deny',
    'g*_b': 'allow',
    'ge*b': 'deny',
  };
  const answers = ['wipe', 'get_list', 'get_issue', 'get_user', 'get_b'].map((tool) =>
    authorize(agent, spec({ permissions }), tool),
  );
  assert.deepEqual(answers, ['deny', 'ask', 'allow', 'deny', 'ask']);
  assert.equal(authorize(agent, spec({ permissions: { 'a*b': 'allow', '*ab': 'deny' } }), 'ab'), 'deny');
  assert.equal(authorize(agent, spec({ permissions: { 'a*b': 'allow', 'ab*': 'ask' } }), 'ab'), 'ask');
});

test('of what a server and a project say the stricter counts', () => {
  const all = ['allow', 'ask', 'deny'] as const;
  for (const ofServer of all)
    for (const ofProject of all) {
      const inShop = { ...agent, project: project({ servers: ['*'], permissions: { 'github:wipe': ofProject } }) };
      const strictest = all[Math.max(all.indexOf(ofServer), all.indexOf(ofProject))];
      assert.equal(authorize(inShop, spec({ permissions: { wipe: ofServer } }), 'wipe'), strictest);
      assert.equal(authorize(inShop, spec({}, 'gitlab'), 'wipe'), 'allow', 'another server is not meant');
    }
  const wide = { ...agent, project: project({ servers: ['*'], permissions: { '*:wipe': 'deny', 'github:*': 'ask' } }) };
  assert.equal(authorize(wide, spec({}, 'x'), 'wipe'), 'deny');
  assert.equal(authorize(wide, spec(), 'look'), 'ask');
});

test('in a project one name overrules another only if it is at least as narrow in server and tool', () => {
  const answer = (permissions: Record<string, string>, server: string, tool: string) =>
    authorize({ ...agent, project: project({ servers: ['*'], permissions }) }, spec({}, server), tool);
  for (const server of ['db', 'production-db', 'a-server-with-a-very-long-name']) {
    const table = { '*:delete_*': 'deny', [`${server}:*`]: 'allow' };
    assert.equal(answer(table, server, 'delete_all'), 'deny', server);
    assert.equal(answer(table, server, 'look'), 'allow');
    assert.equal(
      answer({ ...table, [`${server}:delete_a*`]: 'allow' }, server, 'delete_all'),
      'allow',
      'narrower on both',
    );
    assert.equal(answer({ ...table, [`${server}:d*`]: 'allow' }, server, 'delete_all'), 'deny', 'wider in the tool');
    assert.equal(
      answer({ ...table, [`${server}:delete_all`]: 'allow' }, server, 'delete_all'),
      'allow',
      'said outright',
    );
  }
  assert.equal(answer({ '*': 'deny', 'db:*': 'ask' }, 'db', 'look'), 'ask');
  assert.equal(answer({ '*': 'deny', '*:look': 'allow' }, 'db', 'look'), 'allow');
  assert.equal(
    answer({ 'd*:look': 'deny', 'db:look*': 'allow' }, 'db', 'look'),
    'deny',
    'a name is narrower than a pattern',
  );
  assert.equal(
    answer({ 'd*:*': 'deny', 'db:*': 'allow', '*:l*': 'ask' }, 'db', 'look'),
    'ask',
    'what is overruled is out',
  );
});

test('the answer for a project is the strictest of the rules that nothing overrules', () => {
  const side = fc.constantFrom('*', 'a*', '*a', 'a*b', 'ab', 'aab', 'a*a*b');
  const permission = fc.constantFrom('allow', 'ask', 'deny');
  const key = fc.tuple(side, side).map((sides) => sides.join(':'));
  const name = fc.constantFrom('ab', 'aab');
  const length = (text: string) => (text.includes('*') ? text.replaceAll('*', '').length : 1_000);
  fc.assert(
    fc.property(fc.dictionary(key, permission, { maxKeys: 8 }), name, name, (permissions, server, tool) => {
      const fitting = Object.keys(permissions).filter((text) => isAmong([text], `${server}:${tool}`));
      const narrow = (text: string) => text.split(':').map(length) as [number, number];
      const counting = fitting.filter((text) => {
        const [ofServer, ofTool] = narrow(text);
        return !fitting.some((other) => {
          const [s, t] = narrow(other);
          return s >= ofServer && t >= ofTool && s + t > ofServer + ofTool;
        });
      });
      const said = counting.map((text) => permissions[text]);
      const expected = (['deny', 'ask'] as const).find((item) => said.includes(item)) ?? 'allow';
      const inShop = { ...agent, project: project({ servers: ['*'], permissions }) };
      assert.equal(authorize(inShop, spec({}, server), tool), expected);
    }),
    { numRuns: 2_000 },
  );
});

test('a server may hide something by its settings, not by its tools', () => {
  assert.equal(mayHideTools(agent, spec()), false);
  assert.equal(mayHideTools(agent, spec({ permissions: { '*': 'ask' } })), false);
  assert.equal(mayHideTools(agent, spec({ permissions: { 'wipe*': 'deny' } })), true);
  assert.equal(mayHideTools(agent, spec({ tools: ['look'] })), true);
  const inShop = { ...agent, project: project({ servers: ['*'], permissions: { '*:wipe': 'deny' } }) };
  assert.equal(mayHideTools(inShop, spec()), true);
});
