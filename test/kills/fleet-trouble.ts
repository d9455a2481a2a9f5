/** Trouble for a fleet at work: gateways are killed and started again, and the database is restarted or gone for a while. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../exam/kit/random.ts';
import { queryRows, type TestPostgres } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import type { Fleet } from './fleet.ts';
import { makeToken, probeApproval, probeToken, revokeAt, statusAt, type TokenProbe } from './fleet-probes.ts';

/** How long a gateway that was killed stays down, and how long all of them have after that, at most. */
const mostDownMs = 1_500;
const mostQuietMs = 2_000;
/** One in so many times, two of the gateways are killed at once. */
const bothShare = 0.2;
const lookEveryMs = 500;
/** How often the gateway that has the upkeep is killed. */
const holderKills = 3;

export interface FleetTrouble {
  readonly kills: number;
  readonly restarts: number;
  readonly tokens: readonly TokenProbe[];
  /** For each approval: it was good at another gateway at once. */
  readonly approvals: readonly boolean[];
  /** For each kill of the gateway that had the upkeep: how long it took until another one had it, by the clock of the database. */
  readonly takenOverMs: readonly number[];
}

/** Lasts for a time. The database is restarted twice: in good order, and as after a crash. */
export async function disturb(
  fleet: Fleet,
  postgres: TestPostgres,
  durationMs: number,
  random: Random,
): Promise<FleetTrouble> {
  const since = performance.now();
  const restarts = [
    { atMs: durationMs / 3, mode: 'fast' as const },
    { atMs: (2 * durationMs) / 3, mode: 'immediate' as const },
  ];
  const tokens: TokenProbe[] = [];
  const approvals: boolean[] = [];
  let [kills, restarted] = [0, 0];
  for (let passedMs = 0; passedMs < durationMs; passedMs = performance.now() - since) {
    const due = restarts[0] !== undefined && restarts[0].atMs <= passedMs ? restarts.shift() : undefined;
    if (due !== undefined) {
      await postgres.goAway(due.mode);
      await postgres.comeBack();
      // Calls were answered without their rows meanwhile: whoever is killed now would take those along.
      await fleet.whenWritten();
      await whenHeard(fleet);
      restarted += 1;
    }
    const victims = victimsOf(fleet, random);
    kills += victims.length;
    const restarting = Promise.all(victims.map((at) => restart(fleet, at, random.whole(0, mostDownMs))));
    const { live } = fleet;
    const [one, other] = random.share() < 0.5 ? live : live.toReversed();
    if (one !== undefined && other !== undefined) {
      tokens.push(await probeToken(one, live));
      approvals.push(await probeApproval(one, other));
    }
    await restarting;
    await pause(random.whole(0, mostQuietMs));
  }
  const takenOverMs = await killHolders(fleet, postgres.url);
  return { kills: kills + takenOverMs.length, restarts: restarted, tokens, approvals, takenOverMs };
}

async function killHolders(fleet: Fleet, url: string): Promise<number[]> {
  const takenOverMs: number[] = [];
  while (takenOverMs.length < holderKills) {
    const holder = await holderBeside(url, null);
    const place = fleet.ports.indexOf(Number(new URL(holder.url).port));
    await fleet.kill(place);
    const next = await holderBeside(url, holder.replica);
    takenOverMs.push(next.now - holder.now);
    await fleet.start(place);
  }
  return takenOverMs;
}

interface Holder {
  readonly replica: string;
  readonly url: string;
  /** By the clock of the database. */
  readonly now: number;
}

/** Resolves when a gateway has the upkeep, other than this one. */
function holderBeside(url: string, gone: string | null): Promise<Holder> {
  return eventually('a gateway has the upkeep', async () => {
    const rows = await queryRows(
      url,
      `select replica.id as replica, replica.url, extract(epoch from clock_timestamp())::float8 * 1000 as now
        from duty join replica on replica.id = duty.replica where duty.work = 'upkeep'`,
    );
    // As the statement says.
    const [found] = rows as unknown as Holder[];
    return found?.replica === gone ? undefined : found;
  });
}

/** Resolves when every gateway hears of changes again: until then it refuses tokens that it does not know, with 503. */
async function whenHeard({ live }: Fleet): Promise<void> {
  await eventually('a new token is good everywhere', async () => {
    const [first] = live;
    if (first === undefined) return undefined;
    const { token } = await makeToken(first);
    const statuses = await Promise.all(live.map((replica) => statusAt(replica, token)));
    return statuses.every((status) => status === 200) || undefined;
  });
}

function victimsOf({ ports }: Fleet, random: Random): number[] {
  const first = random.whole(0, ports.length - 1);
  return random.share() < bothShare ? [first, (first + 1) % ports.length] : [first];
}

async function restart(fleet: Fleet, at: number, downMs: number): Promise<void> {
  await fleet.kill(at);
  await pause(downMs);
  await fleet.start(at);
}

export interface FleetAway {
  readonly goneAt: number;
  readonly backAt: number;
  readonly mostWaiting: number;
  readonly dropped: number;
  /** How long a token was let in that was revoked right after the return. */
  readonly revokedMs: number;
}

/** The database is gone for a time, and no gateway is killed. */
export async function sendAway(fleet: Fleet, postgres: TestPostgres, durationMs: number): Promise<FleetAway> {
  const [one, ...others] = fleet.live;
  if (one === undefined) throw new Error('No gateway is there.');
  const known = await makeToken(one);
  await Promise.all(fleet.live.map((replica) => statusAt(replica, known.token)));
  await postgres.goAway('fast');
  const goneAt = performance.now();
  let mostWaiting = 0;
  while (performance.now() - goneAt < durationMs) {
    mostWaiting = Math.max(mostWaiting, (await fleet.rows()).waiting);
    await pause(lookEveryMs);
  }
  const backAt = performance.now();
  await postgres.comeBack();
  const revokedMs = await eventually('the token can be revoked', () =>
    revokeAt(one, known, [one, ...others]).catch(() => undefined),
  );
  await fleet.whenWritten();
  return { goneAt, backAt, mostWaiting, dropped: (await fleet.rows()).dropped, revokedMs };
}
