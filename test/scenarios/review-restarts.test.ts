/** A server that comes back as another version: nothing of it is called before its new listing has been judged. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectAgent, type Kind } from '../kit/agents.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { eventually } from '../kit/processes.ts';
import { RenewedServer } from '../kit/renewed-server.ts';
import { newJournal, readJournal } from '../servers/launch.ts';
import type { ToolSpec } from '../servers/spec.ts';

const eras: readonly Kind[] = ['v1', 'v2 modern'];
const toolOf = (name: string, more: Partial<ToolSpec> = {}): ToolSpec => ({
  ...{ name, description: `Reads the ${name}.`, annotations: { readOnlyHint: true } },
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  respond: { content: [{ type: 'text', text: 'Done.' }] },
  ...more,
});
const before = ['note', 'page'].map((name) => toolOf(name));
/** The first promises less; of the second only the parameters are others, without any risk. */
const after = [
  toolOf('note', { annotations: { readOnlyHint: false, destructiveHint: true } }),
  toolOf('page', {
    inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, additionalProperties: false },
  }),
];

/** The requests to a server, in order. */
const askedOf = (journal: string) =>
  readJournal(journal).flatMap(({ event, name }) => (event === 'list' ? ['list'] : event === 'tool' ? [name] : []));

for (const kind of eras) {
  test(`[TRUST-17] after a restart a call waits until the new listing is judged, ${kind}`, async () => {
    const journal = newJournal();
    await using desk = await RenewedServer.open({ name: 'desk', tools: before });
    await using open = await RenewedServer.open({ name: 'open', tools: before });
    await using gateway = await openTestGateway({
      servers: { desk: { ...desk.entry }, open: { ...open.entry, upgrades: 'allow' } },
    });
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=direct`, {
      headers: gateway.agentHeaders,
    });
    for (const name of ['desk.note', 'open.note'])
      assert.equal((await agent.call(name, { id: 'a' })).isError ?? false, false);
    const gate = Promise.withResolvers<void>();
    // A stateless server shows only by its stream that it is down.
    const noticed = (name: string) => () =>
      eventually('the gateway has noticed', async () => {
        const isWorthALook = (line: string) => line.includes('"A link failed"') && line.includes(`"${name}"`);
        return gateway.logged.some(isWorthALook) || undefined;
      });
    await desk.become({ name: 'desk', version: '2.0.0', tools: after, journal }, noticed('desk'), gate.promise);
    await open.become({ name: 'open', version: '2.0.0', tools: after }, noticed('open'), gate.promise);
    const calls = [agent.call('desk.note', { id: 'a' }), agent.call('desk.page', { id: 'a' })];
    // Allowed requests wait for nothing: they are answered while no list is.
    assert.equal((await agent.call('open.note', { id: 'a' })).isError ?? false, false);
    await eventually(
      'the new server is asked for its list',
      async () => askedOf(journal).includes('list') || undefined,
    );
    gate.resolve();
    const [refused, outdated] = (await Promise.all(calls)).map(({ content }) => JSON.stringify(content));
    assert.match(refused ?? '', /changed since it was approved/);
    assert.match(outdated ?? '', /The tool changed recently; it now takes: number\?: integer/);
    assert.deepEqual(
      askedOf(journal).filter((item) => item !== 'list'),
      [],
    );
  });
}

test('[TRUST-17] a server that was closed while idle is judged before it is called again', async () => {
  await using rest = await RenewedServer.open({ name: 'rest', tools: before });
  await using gateway = await openTestGateway({ servers: { rest: { ...rest.entry, idleMs: 20 } } });
  for (const [at, kind] of eras.entries()) {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=direct`, {
      headers: gateway.agentHeaders,
    });
    const tool = at === 0 ? 'rest.note' : 'rest.page';
    assert.equal((await agent.call(tool, { id: 'a' })).isError ?? false, false);
    await eventually('it is closed', async () => {
      const [row] = await gateway.gateway.admin.run('servers.list', {});
      return row?.state === 'configured' || undefined;
    });
    // Each time another tool promises less.
    const tools = before.map((one, index) => (index <= at ? { ...one, annotations: { readOnlyHint: false } } : one));
    await rest.become({ name: 'rest', tools });
    assert.match(JSON.stringify((await agent.call(tool, { id: 'a' })).content), /changed since it was approved/, kind);
  }
});
