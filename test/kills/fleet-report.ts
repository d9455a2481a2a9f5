/** The promises that a fleet keeps in trouble, checked one by one. */

import assert from 'node:assert/strict';
import type { Checks } from '../real/kit/checks.ts';
import type { Attempt } from './fleet-agent.ts';
import type { FleetFindings } from './fleet-history.ts';
import type { FleetAway, FleetTrouble } from './fleet-trouble.ts';

/** A change at one gateway is at the others within this time. */
const promisedMs = 1_000;
/** How often a gateway tries its line to the database: rights count from the last time that it answered. */
const beatMs = 10_000;
/** The work of a gateway that died is taken over within this time. */
const takeOverMs = 10_000;
const refused = '503 with Retry-After';

export async function reportHistory(checks: Checks, found: FleetFindings, attempts: readonly Attempt[]): Promise<void> {
  checks.section('Calls');
  noteCounts(checks, attempts);
  await checks.that('every acknowledged call was executed', async () => {
    none('without an execution', found.unexecuted);
    return `${found.acknowledged} acknowledged`;
  });
  await checks.that('every acknowledged call is in the audit, and no call twice', async () => {
    none('acknowledged and lost', found.unrecorded);
    none('recorded twice', found.recordedTwice);
    none('recorded and never executed', found.invented);
    return `${found.recorded} done by the audit`;
  });
  await checks.that('no call was executed twice', async () => {
    none('executed twice', found.executedTwice);
    return `${found.executed} executions`;
  });
  await checks.that('every event of the audit has its call, and every call its event', async () => {
    assert.equal(found.unpaired, 0, `${found.unpaired} have not`);
    return `${found.rows} calls`;
  });
  await checks.that('every call is in the sums once', async () => {
    assert.equal(found.wrongSums, 0, `${found.wrongSums} are not`);
    assert.equal(found.rolledUp, found.rows);
    return `${found.rolledUp} calls rolled up`;
  });
}

export async function reportTrouble(checks: Checks, trouble: FleetTrouble): Promise<void> {
  const { kills, restarts, tokens, approvals, takenOverMs } = trouble;
  checks.section(`${kills} kills of gateways, ${restarts} restarts of PostgreSQL`);
  await checks.that('a revoked token is refused everywhere within 1 s', async () =>
    promised(tokens.map(({ revokedMs }) => revokedMs)),
  );
  await checks.that('a new token is good everywhere at once', async () => {
    const statuses = tokens.flatMap((token) => token.statuses);
    assert.deepEqual([...new Set(statuses)], [200]);
    return `${statuses.length} answers`;
  });
  await checks.that('an approval at one gateway is good at another at once', async () => {
    const good = approvals.filter((isGood) => isGood).length;
    assert.ok(good > 0 && good === approvals.length, `${good} of ${approvals.length} were`);
    return `${good} approvals`;
  });
  await checks.that('another gateway has the upkeep of one that was killed within 10 s', async () => {
    const mostMs = Math.round(Math.max(...takenOverMs));
    assert.ok(takenOverMs.length > 0 && mostMs <= takeOverMs, `after ${mostMs} ms`);
    return `${takenOverMs.length} kills, after ${mostMs} ms at most`;
  });
}

export async function reportAway(
  checks: Checks,
  away: FleetAway,
  attempts: readonly Attempt[],
  cacheMs: number,
): Promise<void> {
  const { goneAt, backAt } = away;
  const msGone = ({ startedAt }: Attempt) => startedAt - goneAt;
  // A request from just before the return may be answered after it.
  const during = attempts.filter((one) => msGone(one) >= 0 && one.startedAt < backAt - promisedMs);
  const [answered, others] = [during.filter(isAcknowledged), during.filter((one) => !isAcknowledged(one))];
  checks.section(`PostgreSQL gone for ${Math.round((backAt - goneAt) / 1_000)} s, access.cacheMs ${cacheMs}`);
  noteCounts(checks, during);
  await checks.that('calls with known rights go on, for access.cacheMs at most', async () => {
    const lastMs = Math.round(Math.max(0, ...answered.map(msGone)));
    assert.ok(lastMs > cacheMs - beatMs && lastMs <= cacheMs + promisedMs, `the last one after ${lastMs} ms`);
    return `${answered.length} calls, the last one after ${lastMs} ms`;
  });
  await checks.that('all others get 503 with Retry-After', async () => {
    none('answered otherwise', [...new Set(others.map(({ why }) => why).filter((why) => why !== refused))]);
    assert.ok(others.length > 0, 'there were none');
    return `${others.length} refused`;
  });
  await checks.that('rows wait, and none is dropped', async () => {
    assert.ok(away.mostWaiting > 0 && away.dropped === 0, `${away.mostWaiting} waited, ${away.dropped} were dropped`);
    return `${away.mostWaiting} waited at most`;
  });
  await checks.that('a token revoked right after the return is refused everywhere within 1 s', async () =>
    promised([away.revokedMs]),
  );
  await checks.that('calls go on after the return', async () => {
    const after = attempts.filter((one) => one.startedAt >= backAt && isAcknowledged(one));
    const firstMs = Math.min(...after.map(({ startedAt }) => startedAt - backAt));
    assert.ok(after.length > 0, 'there were none');
    return `${after.length} calls, the first one after ${Math.round(firstMs)} ms`;
  });
}

const isAcknowledged = ({ outcome }: Attempt) => outcome === 'acknowledged';

function promised(times: readonly number[]): string {
  const most = Math.round(Math.max(...times));
  assert.ok(times.length > 0 && most <= promisedMs, `let in for ${most} ms`);
  return `${times.length} revoked, let in for ${most} ms at most`;
}

/** Fails with the first few. */
function none(what: string, found: readonly string[]): void {
  assert.equal(found.length, 0, `${found.length} ${what}: ${found.slice(0, 5).join(', ')}`);
}

function noteCounts(checks: Checks, attempts: readonly Attempt[]): void {
  const counts = new Map<string, number>();
  for (const { outcome, why } of attempts) {
    const key = `${outcome}: ${why.slice(0, 100)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of [...counts].sort(([, a], [, b]) => b - a))
    checks.note(`${String(count).padStart(7)}  ${key}`);
}
