/**
 * An upgrade without an interruption: three gateways on one PostgreSQL database behind HAProxy, replaced one by one by gateways of another
 * version, while agents of both eras call tools. Twice: an older commit is replaced by this checkout, and this checkout by its last
 * commit with a made-up step that changes the tables. Compares what agents were told with what was done, and has versions read what
 * the other one wrote. Exits with 1 when a promise fails.
 *
 *   npm run real:rolling-upgrade [-- --from COMMIT --seconds 10 --agents 12 --seed 1]
 *
 * `--from` is the older version; `olderCommit` chooses one, if it is left out. `--seconds` is the time between two replacements.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../../exam/kit/random.ts';
import { checkBalancer, startBalancer } from '../kills/balancer.ts';
import { Fleet } from '../kills/fleet.ts';
import { FleetAgent } from '../kills/fleet-agent.ts';
import { findHistory, whenRolledUp } from '../kills/fleet-history.ts';
import { makeToken, probeApproval, revokeAt, statusAt } from '../kills/fleet-probes.ts';
import { reportHistory } from '../kills/fleet-report.ts';
import { TestPostgres } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { sharedKey } from '../kit/replicas.ts';
import { hostedServer } from '../servers/hosted.ts';
import { Checks } from './kit/checks.ts';
import { type GatewayProcess, program, startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { addStep, checkOut, newestStep, olderCommit } from './kit/other-version.ts';
import { openScratch, type Scratch } from './kit/scratch.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    agents: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
  },
});
const workMs = Number(values.seconds) * 1_000;
const seed = Number(values.seed);
/** Between two calls of an agent. */
const mostPauseMs = 400;
/** How soon one gateway hears of a change at another. */
const promisedMs = 1_000;

interface Version {
  readonly name: string;
  readonly program: string;
  /** The newest of the tables. */
  readonly step: string;
}

/** Its header is sealed in the database. */
const shelf = {
  ...hostedServer({ name: 'shelf', tools: [{ name: 'echo', description: 'Echoes.', runAs: 'echo' }] }),
  headers: { 'x-shelf-key': 'a key of the shelf' },
};
let added = 0;

checkBalancer();
const checks = new Checks();
await using copies = await openScratch();
const present = { name: 'this checkout', program, step: await newestStep('HEAD') };
const commit = values.from ?? (await olderCommit());
const older = await checkOut(commit, join(copies.folder, 'older'), 'older');
await upgrade({ ...older, name: `commit ${commit.slice(0, 8)}`, step: await newestStep(commit) }, present);
const next = await checkOut('HEAD', join(copies.folder, 'next'), 'next');
const step = await addStep(next);
await upgrade(present, { ...next, name: `the last commit with step ${step}`, step });
checks.finish();

async function upgrade(from: Version, to: Version): Promise<void> {
  checks.section(`From ${from.name} to ${to.name}`);
  await using scratch = await openScratch();
  const { url: storeUrl } = await TestPostgres.start();
  await using fleet = await Fleet.open({ storeUrl, count: 3, scratch, otherProgram: from.program });
  const { ports } = fleet;
  const { folder } = scratch;
  await using sticky = await startBalancer({ ports, isSticky: true, folder });
  await using plain = await startBalancer({ ports, isSticky: false, folder });
  const agents = await Promise.all(
    Array.from({ length: Number(values.agents) }, (_, at) => openAgent(fleet, at, at % 4 < 2 ? sticky : plain)),
  );
  const ending = new AbortController();
  const working = Promise.all(agents.map((agent) => agent.work(ending.signal)));
  await pause(workMs);
  for (const at of ports.keys()) {
    await replace(fleet, at, to);
    if (at === 0 && from.step !== to.step) await refusesToStart(from, storeUrl, scratch);
    if (at === ports.length - 1) break;
    await readEachOther(fleet.at(at), fleet.at(at + 1));
    await allAnswer(fleet, at + 1);
  }
  await pause(workMs);
  ending.abort();
  await working;
  await fleet.whenWritten();
  await whenRolledUp(storeUrl);
  const attempts = agents.flatMap((agent) => agent.attempts);
  await reportHistory(checks, await findHistory(attempts, fleet.executions(), storeUrl), attempts);
  // An older version may close connections that HAProxy sends on.
  if (from !== present) return;
  await checks.that('every agent knows of every call if it was made', async () => {
    const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').map(({ why }) => why);
    assert.deepEqual(unknown, []);
    return `${attempts.length} attempts`;
  });
}

async function openAgent(fleet: Fleet, at: number, { url }: { readonly url: string }): Promise<FleetAgent> {
  const name = `agent-${at}`;
  return new FleetAgent({
    name,
    era: at % 2 === 0 ? 'modern' : 'legacy',
    headers: await fleet.makeToken(name),
    door: () => `${url}/mcp?surface=direct`,
    random: Random.for(seed, name),
    mostPauseMs,
  });
}

async function replace(fleet: Fleet, at: number, to: Version): Promise<void> {
  await checks.that(`gateway ${at + 1} of ${fleet.ports.length} ends in good order`, async () => {
    const { code, ms } = await fleet.stop(at);
    assert.equal(code, 0);
    return { ms };
  });
  await checks.that('the next version takes its place', async () => {
    await fleet.start(at, to.program);
    await whenListed(fleet.at(at));
    return { ms: fleet.at(at).readyMs };
  });
}

/** Its tables are no longer those that it knows. */
async function refusesToStart(from: Version, storeUrl: string, scratch: Scratch): Promise<void> {
  await checks.that('the version before cannot start any more, and says why', async () => {
    const started = startGatewayProcess({
      dataDir: scratch.dataDir,
      env: { ...scratch.env, ...sharedKey },
      servers: {},
      config: { store: { url: storeUrl }, access: { keyring: 'off' } },
      otherProgram: from.program,
    });
    const said = await started.then(
      (gateway) => gateway.kill().then(() => 'It started.'),
      (error: Error) => error.message,
    );
    assert.match(said, /ended with 1: .*A newer version of Toolcrib wrote the store/s);
    return said.split('\n').at(0);
  });
}

/** Calls go on at all of them, whatever their version. */
async function allAnswer(fleet: Fleet, replaced: number): Promise<void> {
  await checks.that(
    `${replaced} of the next version and ${fleet.ports.length - replaced} of the one before answer`,
    async () => {
      const before = await fleet.calls();
      await pause(workMs);
      const after = await fleet.calls();
      const made = after.map((count, at) => count - (before[at] ?? 0));
      assert.ok(
        made.every((count) => count > 0),
        `calls: ${made.join(', ')}`,
      );
      return `${made.join(', ')} calls in ${workMs / 1_000} s`;
    },
  );
}

/** A token, an approval, a record of the audit and a server with a sealed spec, each made at one version and used at the other. */
async function readEachOther(next: GatewayProcess, before: GatewayProcess): Promise<void> {
  for (const [at, other, title] of [
    [next, before, 'the version before reads what the next one writes'],
    [before, next, 'the next version reads what the one before writes'],
  ] as const)
    await checks.that(title, async () => {
      const made = await makeToken(at);
      const since = performance.now();
      await eventually('the token is good', async () => (await statusAt(other, made.token)) === 200 || undefined);
      const seenMs = Math.round(performance.now() - since);
      const revokedMs = Math.round(await revokeAt(at, made, [at, other]));
      assert.ok(Math.max(seenMs, revokedMs) <= promisedMs, `seen after ${seenMs} ms, refused after ${revokedMs} ms`);
      assert.ok(await probeApproval(at, other), 'The other one still asks.');
      await passServer(at, other);
      return `token seen after ${seenMs} ms, refused after ${revokedMs} ms`;
    });
}

/** Adds a server at one; the other one lists it and calls its tool, and the first one reads of the call in the audit. */
async function passServer(at: GatewayProcess, other: GatewayProcess): Promise<void> {
  const name = `shelf-${added}`;
  added += 1;
  await at.admin.run('servers.add', { name, spec: shelf });
  await eventually(`${name} is listed`, async () => {
    const rows = await other.admin.run('servers.list', {});
    return rows.some((row) => row.name === name && row.listedAt !== null) || undefined;
  });
  const called = await other.admin.run('tools.call', { toolKey: `${name}:echo`, arguments: { text: name } });
  assert.ok(!called.isError, JSON.stringify(called));
  const { records } = await at.admin.run('audit.list', { server: name, action: 'tools.call' });
  assert.equal(records.length, 1, 'The call is not in the audit.');
  await other.admin.run('servers.remove', { name });
}
