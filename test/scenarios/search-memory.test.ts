/** Search learns and keeps use, vectors, categories, aliases and changes, over restarts and sudden ends. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { startGatewayProcess } from '../kit/gateway-process.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { eventually } from '../kit/processes.ts';
import { type Doors, discover, keysOf, officeServers } from '../kit/search-requests.ts';
import { hostedServer } from '../servers/hosted.ts';

const deskCount = 7;

/** A data folder that outlives its gateways. */
async function withFolder(act: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-search-'));
  try {
    await act(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The state of search, once every tool has its vector. */
function settled({ gateway }: TestGateway, tools: number) {
  return eventually('every tool has a vector', async () => {
    const now = await gateway.admin.run('search.status', {});
    return now.vectors?.ready === tools && now.vectors.waiting === 0 ? now : undefined;
  });
}

async function execute(doors: Doors, toolKey: string, args = {}): Promise<void> {
  await new ModernAgent(doors).say('tool_execute', { toolKey, arguments: args });
}

const post = {
  office: hostedServer({
    name: 'office',
    tools: [
      { name: 'send_letter', description: 'Sends a letter to a customer.' },
      { name: 'send_parcel', description: 'Sends a parcel to a customer.' },
      { name: 'count_stamps', description: 'Counts the stamps in the drawer.' },
    ],
  }),
};

test('[FIND-10] a tool executed after a query comes first for a similar query, after a restart too, unless usage is off', async () => {
  await withFolder(async (dataDir) => {
    const query = 'send something to a customer';
    const like = 'sending something to our customer';
    let [first, second]: (string | undefined)[] = [];
    {
      await using gateway = await openTestGateway({ servers: post, dataDir });
      [first, second] = keysOf(await discover(gateway, query));
      assert.deepEqual([first, second].toSorted(), ['office:send_letter', 'office:send_parcel']);
      for (let round = 0; round < 6; round += 1) {
        await discover(gateway, query);
        await execute(gateway, second ?? '');
      }
      assert.deepEqual(keysOf(await discover(gateway, query)).slice(0, 2), [second, first]);
    }
    {
      await using gateway = await openTestGateway({ servers: post, dataDir });
      const found = await eventually('what was learnt is read', async () => {
        const now = await discover(gateway, like, { detailLevel: 'full' });
        return keysOf(now)[0] === second ? now : undefined;
      });
      const usage = found.tools[0]?.explanation?.usage;
      assert.ok(usage && usage.boost > 0);
      assert.doesNotMatch(JSON.stringify(found), /likeQuery/, 'what others asked is not told');
      const { result } = await new ModernAgent(gateway).call('recommend_tools', { task: like });
      assert.match(JSON.stringify(result.structuredContent), /it was used before for a similar need/);
      const unlike = await discover(gateway, 'count the stamps', { detailLevel: 'full' });
      assert.equal(keysOf(unlike)[0], 'office:count_stamps', 'another need is not touched');
    }
    await using gateway = await openTestGateway({ servers: post, dataDir, config: { search: { usage: false } } });
    const found = await discover(gateway, query, { detailLevel: 'full' });
    assert.deepEqual(keysOf(found).slice(0, 2), [first, second]);
    assert.ok(found.tools.every(({ explanation }) => explanation?.usage === null));
  });
});

test('[FIND-11] the owner says what category a server or a tool is in', async () => {
  const { mail, calendar, files } = officeServers();
  const servers = {
    mail: { ...mail, category: 'crm' },
    calendar: { ...calendar, category: 'crm', categories: { list_events: 'monitoring' } },
    files,
  };
  await using gateway = await openTestGateway({ servers });
  const rows = await gateway.gateway.admin.run('tools.list', {});
  const categoryOf = (key: string) => rows.find(({ toolKey }) => toolKey === key)?.category;
  assert.deepEqual(
    ['mail:send_mail', 'calendar:create_event', 'calendar:list_events', 'files:read_file'].map(categoryOf),
    ['crm', 'crm', 'monitoring', 'file_operations'],
  );
  const inCrm = await discover(gateway, 'appointments in the calendar', { category: 'crm' });
  assert.equal(keysOf(inCrm)[0], 'calendar:create_event');
  assert.ok(!keysOf(inCrm).includes('calendar:list_events'));
});

test('[FIND-12] an alias is found by its own words and called like the tool it stands for', async () => {
  const { mail } = officeServers();
  await using gateway = await openTestGateway({
    servers: { mail: { ...mail, aliases: { ring_the_bell: 'send_mail' } } },
  });
  const found = await discover(gateway, 'ring the bell');
  assert.deepEqual([keysOf(found)[0], found.tools[0]?.toolName], ['mail:ring_the_bell', 'ring_the_bell']);
  await execute(gateway, 'mail:ring_the_bell', { to: 'a', body: 'b' });
});

test('[FIND-13] after a restart nothing is embedded again', async () => {
  await withFolder(async (dataDir) => {
    const servers = officeServers();
    {
      await using gateway = await openTestGateway({ servers, dataDir });
      await discover(gateway, 'send an e-mail');
      assert.equal((await settled(gateway, deskCount)).vectors?.made, deskCount);
    }
    await using gateway = await openTestGateway({ servers, dataDir });
    assert.equal((await settled(gateway, deskCount)).vectors?.made, 0);
    const found = await discover(gateway, 'send an e-mail', { detailLevel: 'full' });
    assert.equal(keysOf(found)[0], 'mail:send_mail');
    assert.ok(found.tools[0]?.explanation?.meaning);
  });
});

test('[FIND-13] vectors outlive a gateway that is killed', async () => {
  await withFolder(async (dataDir) => {
    const servers = officeServers();
    {
      await using killed = await startGatewayProcess({ servers, dataDir });
      await discover(killed, 'send an e-mail');
      await eventually('the vectors are stored', async () => {
        using database = new DatabaseSync(join(dataDir, 'toolcrib.db'), { readOnly: true });
        const row = database.prepare('SELECT count(*) AS count FROM vector').get();
        return row?.count === deskCount ? true : undefined;
      });
      killed.kill('SIGKILL');
      await killed.exited;
    }
    await using gateway = await openTestGateway({ servers, dataDir });
    assert.equal((await settled(gateway, deskCount)).vectors?.made, 0);
  });
});

test('[FIND-14] a tool that is described anew is found by its new words, and it alone is embedded again', async () => {
  await using gateway = await openTestGateway({ servers: { live: hostedServer({ name: 'live', tools: 'default' }) } });
  const query = 'water the plants in the garden';
  assert.ok(!keysOf(await discover(gateway, query)).includes('live:echo'));
  const { snapshotSize, made } = await eventually('all is embedded', async () => {
    const now = await gateway.gateway.admin.run('search.status', {});
    const { ready = 0, waiting = 1, made = 0 } = now.vectors ?? {};
    return ready === now.tools && waiting === 0 ? { snapshotSize: now.tools, made } : undefined;
  });
  assert.equal(made, snapshotSize);
  await execute(gateway, 'live:mutate', { describe: 'echo', text: 'Waters the plants of the garden.' });
  const found = await eventually('it is found', async () => {
    const now = await discover(gateway, query, { detailLevel: 'full' });
    return keysOf(now)[0] === 'live:echo' ? now : undefined;
  });
  assert.ok((found.tools[0]?.explanation?.meaning ?? 0) > 0.4);
  assert.equal((await gateway.gateway.admin.run('search.status', {})).vectors?.made, made + 1);
});

test('[FIND-14] new tools are indexed before anybody searches for them, also long after the start', async () => {
  await using gateway = await openTestGateway({ servers: post });
  const { admin } = gateway.gateway;
  const indexed = (count: number) =>
    eventually(`${count} tools are indexed`, async () => {
      const { tools, vectors } = await admin.run('search.status', {});
      return tools === count && vectors?.waiting === 0 ? true : undefined;
    });
  await indexed(3);
  const late = hostedServer({ name: 'late', tools: [{ name: 'lick_stamps', description: 'Licks stamps.' }] });
  await admin.run('servers.add', { name: 'late', spec: { ...late } });
  await indexed(4);
});
