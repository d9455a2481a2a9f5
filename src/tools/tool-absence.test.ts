/** Tests of why a tool is missing: each reason, in its order, and the names by which somebody asks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, projectOf } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { absenceOf, subjectsNamed, tellAbsence } from './tool-absence.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };

interface Given {
  readonly settings?: Record<string, unknown>;
  readonly entry?: Partial<ServerEntry>;
  readonly isFailing?: boolean;
  readonly origin?: 'file' | 'store';
}

function layersWith({ settings = {}, entry = {}, isFailing = false, origin = 'file' }: Given = {}) {
  const spec = parseServer('git', { command: 'serve', ...settings }, {}, origin);
  const tools = ['log', 'push'].map((name) => ({
    ...{ key: `git:${name}`, server: 'git', name, serverName: name, definition: { name }, fingerprint: name },
    ...(name === 'push' && { hold: { state: 'changed', since: 0, reasons: [] } as const }),
  }));
  const nothing = new Set<string>();
  const server = { spec, tools, hiddenTools: new Map(), heldTools: nothing, listedAt: 1, ...entry } as ServerEntry;
  const snapshot: Snapshot = { servers: new Map([['git', server]]), tools: new Map() };
  // Only these members are used.
  return {
    catalog: { snapshot, failing: { has: () => isFailing } },
    downstream: { status: () => ({ lastError: 'It exited with code 1.', hint: 'Install it.' }) },
  } as unknown as Parameters<typeof absenceOf>[0];
}

const log = { server: 'git', tool: 'log' };

test('each reason why a tool is missing comes before the ones behind it', () => {
  const reasonOf = (given: Given, principal = agent, tool = 'log') =>
    absenceOf(layersWith(given), principal, { server: 'git', tool });
  const failing = { isFailing: true };
  const denied = { ...failing, settings: { permissions: { log: 'deny' } } };
  const hidden = { ...denied, settings: { ...denied.settings, tools: ['push'] } };
  assert.equal(reasonOf({ settings: { enabled: false } }), 'off');
  assert.equal(reasonOf(hidden, { ...agent, scopes: new Set() }), 'scope');
  assert.equal(reasonOf(hidden, { ...agent, servers: ['mail'] }), 'server');
  assert.equal(reasonOf(hidden, { ...agent, project: projectOf('shop') }), 'project');
  assert.equal(reasonOf(hidden), 'hidden');
  assert.equal(reasonOf(denied), 'denied');
  assert.equal(reasonOf(failing, agent, 'push'), 'on-hold');
  assert.equal(reasonOf(failing), 'failing');
  assert.equal(reasonOf({}), null);
  assert.equal(reasonOf({ entry: { heldTools: new Set(['wipe']) } }, agent, 'wipe'), 'withheld');
  assert.equal(
    reasonOf({ entry: { hiddenTools: new Map([['wipe', {} as Entry]]) }, settings: { tools: ['log'] } }, agent, 'wipe'),
    'hidden',
  );
  assert.equal(reasonOf({}, agent, 'wipe'), 'unknown');
  assert.equal(reasonOf({ entry: { tools: [], listedAt: null } }), 'unlisted');
  assert.equal(absenceOf(layersWith(), agent, { server: 'mail', tool: null }), 'unknown');
});

test('the answer is one sentence with what to do', () => {
  const tell = (given: Given, subject = log) => tellAbsence(layersWith(given), agent, subject);
  assert.deepEqual(tell({}), { ...log, reason: null, message: 'Agents see "git:log" and can call it.', hint: null });
  assert.deepEqual(tell({ settings: { enabled: false } }), {
    ...{ ...log, reason: 'off', message: 'Agents do not see "git:log": server "git" is switched off.' },
    hint: 'Switch it on with: toolcrib enable git',
  });
  assert.deepEqual(tell({ isFailing: true }), {
    ...{ ...log, reason: 'failing', hint: 'Install it.' },
    message: 'Agents cannot call "git:log": its server does not work. It exited with code 1.',
  });
  const { message, hint } = tell({}, { server: 'git', tool: 'lgo' });
  assert.deepEqual([message, hint], ['There is no tool "git:lgo".', 'Did you mean "git:log"?']);
});

test('a name is that of a tool with its server, of a server, or of the same tool on every server that has it', () => {
  const { snapshot } = layersWith({ entry: { heldTools: new Set(['wipe']) } }).catalog;
  assert.deepEqual(subjectsNamed(snapshot, 'git:a:b'), [{ server: 'git', tool: 'a:b' }]);
  assert.deepEqual(subjectsNamed(snapshot, 'git'), [{ server: 'git', tool: null }]);
  assert.deepEqual(subjectsNamed(snapshot, 'wipe'), [{ server: 'git', tool: 'wipe' }]);
  assert.deepEqual(subjectsNamed(snapshot, 'git.a.b'), [{ server: 'git', tool: 'a.b' }]);
  assert.deepEqual(subjectsNamed(snapshot, 'no.thing'), [{ server: 'no.thing', tool: null }]);
  assert.deepEqual(subjectsNamed(snapshot, 'nothing'), [{ server: 'nothing', tool: null }]);
});

test('an alias of a tool that is not exposed is judged by the name that the server has for it', () => {
  const settings = { tools: ['get_*'], aliases: { get_wipe: 'wipe' } };
  const layers = layersWith({ settings, entry: { hiddenTools: new Map([['get_wipe', {} as Entry]]) } });
  assert.equal(absenceOf(layers, agent, { server: 'git', tool: 'get_wipe' }), 'hidden');
});

test('a permission is changed where its server is kept', () => {
  const settings = { permissions: { log: 'deny' } };
  const hintOf = (origin: 'file' | 'store') => tellAbsence(layersWith({ settings, origin }), agent, log).hint;
  assert.equal(hintOf('file'), 'Change it in the permissions of server "git" in the config file.');
  assert.equal(hintOf('store'), 'Change it in the permissions of server "git" under Servers on the dashboard.');
});
