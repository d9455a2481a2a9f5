/**
 * Three gateways on one PostgreSQL database behind HAProxy, and agents of both eras that call tools, while gateways are killed and the
 * database is restarted; then the database is gone for a while. Compares what agents were told with what was done. Exits with 1 when
 * a promise fails. The full size takes ten minutes.
 *
 *   npm run kills:replicas [-- --minutes 10 --seed 1 --agents 30 --away-seconds 60]
 */

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../../exam/kit/random.ts';
import { TestPostgres } from '../kit/postgres.ts';
import { Checks } from '../real/kit/checks.ts';
import { openScratch } from '../real/kit/scratch.ts';
import { checkBalancer, startBalancer } from './balancer.ts';
import { Fleet } from './fleet.ts';
import { FleetAgent } from './fleet-agent.ts';
import { findHistory, whenRolledUp } from './fleet-history.ts';
import { reportAway, reportHistory, reportTrouble } from './fleet-report.ts';
import { disturb, sendAway } from './fleet-trouble.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    agents: { type: 'string', default: '30' },
    'away-seconds': { type: 'string', default: '60' },
  },
});
const seed = Number(values.seed);
const awayMs = Number(values['away-seconds']) * 1_000;
/** The default, or less: the database is gone for longer. */
const cacheMs = Math.min(30_000, awayMs / 2);
/** Between two calls of an agent. */
const mostPauseMs = 400;
/** Work after the return of the database. */
const recoveryMs = 5_000;

checkBalancer();
await using scratch = await openScratch();
const postgres = await TestPostgres.start();
await using fleet = await Fleet.open({ storeUrl: postgres.url, count: 3, cacheMs, scratch });
const { ports } = fleet;
// Sessions of half of the agents stay at their gateway; requests of the others are passed on.
await using sticky = await startBalancer({ ports, isSticky: true, folder: scratch.folder });
await using plain = await startBalancer({ ports, isSticky: false, folder: scratch.folder });

const agents = await Promise.all(Array.from({ length: Number(values.agents) }, (_, at) => openAgent(at)));
const attempts = () => agents.flatMap((agent) => agent.attempts);
const ending = new AbortController();
const working = Promise.all(agents.map((agent) => agent.work(ending.signal)));
console.info(`${values.agents} agents for ${values.minutes} min, seed ${seed}`);
const trouble = await disturb(fleet, postgres, Number(values.minutes) * 60_000, Random.for(seed, 'trouble'));
console.info(`${attempts().length} attempts beside ${trouble.kills} kills; PostgreSQL is gone for ${awayMs / 1_000} s`);
const away = await sendAway(fleet, postgres, awayMs);
await pause(recoveryMs);
ending.abort();
await working;
await fleet.whenWritten();
await whenRolledUp(postgres.url);

const checks = new Checks();
await reportHistory(checks, await findHistory(attempts(), fleet.executions(), postgres.url), attempts());
await reportTrouble(checks, trouble);
await reportAway(checks, away, attempts(), cacheMs);
checks.finish();

async function openAgent(at: number): Promise<FleetAgent> {
  const name = `agent-${at}`;
  const door = `${(at % 4 < 2 ? sticky : plain).url}/mcp?surface=direct`;
  return new FleetAgent({
    name,
    era: at % 2 === 0 ? 'modern' : 'legacy',
    headers: await fleet.makeToken(name),
    door: () => door,
    random: Random.for(seed, name),
    mostPauseMs,
  });
}
