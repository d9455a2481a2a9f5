/** A made-up day of agents at work, the same for the same seed: calls, and the records of the audit that belong to them. */

import { hash } from 'node:crypto';
import type { AuditRecord, CallRecord, DisclosureSum, OutcomeKind } from '../../src/store/store.ts';
import { dayOf } from '../../src/store/store.ts';
import { madeUpCall } from '../kit/made-up-call.ts';
import { madeUpEvent } from '../kit/made-up-event.ts';

export const dayMs = 24 * 60 * 60 * 1_000;
const minuteMs = 60_000;

/** Somebody who works with tools, as the audit knows them. */
export interface Worker {
  readonly principal: string;
  readonly name: string;
  readonly client: string;
  readonly project: string | null;
  /** How much of the work is theirs, against the others. */
  readonly share: number;
  /** Works around the clock, as programs do. */
  readonly isTireless?: boolean;
}

export interface DayPlan {
  /** The end of the day. */
  readonly now: number;
  readonly workers: readonly Worker[];
  /** Every tool that can be called, as `server:tool`. */
  readonly toolKeys: readonly string[];
  readonly calls?: number;
  readonly seed?: number;
  /** With the thirty servers, if left out. */
  readonly work?: DayWork;
}

/** The work that a day is made of. */
export interface DayWork {
  /** Jobs that come again, the frequent ones first, with the search that begins them. */
  readonly jobs: readonly (readonly [query: string, ...toolKeys: string[]])[];
  /** Something went wrong this morning: this server was slow for a while. */
  readonly slowServer: string;
  /** This tool seldom works. */
  readonly brokenTool: string;
}

export interface SeededDay {
  /** In the order of their times, as the rest. */
  readonly calls: readonly CallRecord[];
  readonly events: readonly AuditRecord[];
  readonly disclosure: readonly DisclosureSum[];
}

const usualJobs: DayWork['jobs'] = [
  [
    'find an issue and open a pull request',
    ...['forge:search_issues', 'forge:get_issue', 'filesystem:search_files', 'filesystem:read_text_file'],
    ...['filesystem:edit_file', 'git:git_diff', 'git:git_commit', 'git:git_push', 'forge:create_pull_request'],
  ],
  ['why did the build fail', 'forge:list_workflow_runs', 'forge:get_job_logs', 'forge:rerun_failed_jobs'],
  [
    'review a pull request',
    'forge:get_pull_request',
    'forge:get_pull_request_diff',
    'forge:create_pull_request_review',
  ],
  ['answer a customer by mail', 'mail-support:searchMessages', 'mail-support:getThread', 'mail-support:sendMessage'],
  ['find a free hour and invite people', 'calendar:calendar.freebusy.query', 'calendar:calendar.events.insert'],
  ['which queries are slow', 'database:get_top_queries', 'database:explain_query', 'database:analyze_indexes'],
  ['run sql on the staging database', 'database-staging:list_objects', 'database-staging:execute_sql'],
  ['write down a decision in the wiki', 'wiki:API-post-search', 'wiki:API-retrieve-a-page', 'wiki:API-patch-page'],
  ['send an invoice', 'billing:list_customers', 'billing:create_invoice', 'billing:finalize_invoice'],
  ['refund a payment', 'billing:list_invoices', 'billing:create_refund'],
  ['look something up on the web', 'toolbox:web_search', 'browser:browser_navigate', 'browser:browser_snapshot'],
  ['how do i get there by train', 'maps:maps_geo', 'maps:maps_direction_transit'],
  ['remember this for later', 'memory:search_nodes', 'memory:add_observations'],
];
const usualWork: DayWork = {
  jobs: usualJobs,
  slowServer: 'database-staging',
  brokenTool: 'maps:maps_direction_transit',
};

/** How often somebody calls a tool that no job of theirs leads to. */
const whimShare = 0.06;
const failures: readonly (readonly [OutcomeKind, errorType: string, error: string, share: number])[] = [
  ['tool', 'TOOL_FAILED', 'Nothing was found under this name.', 0.016],
  ['arguments', 'ARGUMENTS_INVALID', '"limit" must be a whole number, and is "ten".', 0.012],
  ['server', 'SERVER_DISCONNECTED', 'The server closed the connection before it answered.', 0.005],
  ['refused', 'RATE_LIMITED', 'More than 60 calls in a minute.', 0.004],
  ['cancelled', 'CANCELLED', 'The agent gave up.', 0.003],
  ['timeout', 'TIMEOUT', 'The server did not answer within 30 s.', 0.002],
];
/** Of the slow server. */
const incident = { fromMs: 7 * 60 * minuteMs, toMs: 5 * 60 * minuteMs, share: 0.8 };
/** Of the tool that seldom works. */
const broken = { error: 'There is no data for this request.', share: 0.7 };

type Random = () => number;

/** One call as it was made, with everything that both records tell about it. */
interface Made {
  readonly worker: Worker;
  readonly call: CallRecord;
}

export function seedDay({
  now,
  workers,
  toolKeys,
  calls: count = 5_000,
  seed = 1,
  work = usualWork,
}: DayPlan): SeededDay {
  const random = numbersOf(seed);
  const known = new Set(toolKeys);
  const made: Made[] = [];
  const searches: AuditRecord[] = [];
  while (made.length < count) {
    const worker = drawWorker(workers, random);
    const [query = '', ...steps] = work.jobs[Math.floor(work.jobs.length * random() ** 1.4)] ?? [];
    const session = `session-${made.length}`;
    let at = now - dayMs + startOf(worker, now, random);
    searches.push(searchOf(worker, session, query, at));
    let previous: string | null = null;
    for (const planned of steps) {
      const key: string =
        random() < whimShare ? (toolKeys[Math.floor(toolKeys.length * random())] ?? planned) : planned;
      if (!known.has(key)) continue;
      at += 2_000 + 40_000 * random() ** 3;
      if (at >= now) break;
      const call = callOf({
        key,
        at: Math.floor(at),
        now,
        session,
        previous,
        random,
        worker,
        work,
        query: key === planned ? query : null,
      });
      made.push({ worker, call });
      if (call.outcome === 'ok') previous = key;
    }
  }
  made.sort((a, b) => a.call.at - b.call.at);
  const calls = made.map(({ call }) => call);
  const events = [...searches.filter(({ at }) => at < now), ...made.map(eventOf)].sort((a, b) => a.at - b.at);
  return { calls, events, disclosure: disclosureOf(made, searches) };
}

interface Step {
  readonly key: string;
  readonly at: number;
  readonly now: number;
  readonly session: string;
  readonly previous: string | null;
  readonly query: string | null;
  readonly worker: Worker;
  readonly work: DayWork;
  readonly random: Random;
}

function callOf({ key, at, now, session, previous, query, worker, work, random }: Step): CallRecord {
  const colon = key.indexOf(':');
  const server = key.slice(0, colon);
  const isIncident = server === work.slowServer && now - at < incident.fromMs && now - at > incident.toMs;
  const isBroken = key === work.brokenTool && random() < broken.share;
  const [outcome, errorType, error] = isBroken
    ? (['tool', 'TOOL_FAILED', broken.error] as const)
    : outcomeFor(isIncident && random() < incident.share ? 1 : random());
  const usualMs = 8 + (Number.parseInt(hash('sha1', key, 'hex').slice(0, 6), 16) % 700) ** 1.1;
  const isCached = outcome === 'ok' && random() < 0.05;
  return madeUpCall({
    at,
    server,
    tool: key.slice(colon + 1),
    outcome,
    errorType,
    error,
    ms: isCached
      ? 1
      : outcome === 'timeout'
        ? 30_000 + 20 * random()
        : round(usualMs * Math.exp(1.5 * (random() - 0.5))),
    requestBytes: 20 + Math.floor(400 * random() ** 2),
    resultBytes: outcome === 'ok' ? 60 + Math.floor(40_000 * random() ** 4) : 180,
    way: worker.isTireless ? 'direct' : 'execute',
    isCached,
    principal: worker.principal,
    session,
    previous,
    query,
  });
}

/** 1: too slow. */
function outcomeFor(luck: number): readonly [OutcomeKind, string | null, string | null] {
  let left = 1 - luck;
  for (const [kind, errorType, error, share] of failures.toReversed()) {
    left -= share;
    if (left < 0) return [kind, errorType, error];
  }
  return ['ok', null, null];
}

function eventOf({ worker, call }: Made): AuditRecord {
  const { way, requestBytes, resultBytes, isCached, error, at, ms } = call;
  const link = Math.max(1, Math.round(ms) - 2);
  const detail = { way, requestBytes, resultBytes, ...(isCached && { isCached }), ...(error !== null && { error }) };
  return madeUpEvent({
    ...whoOf(worker, call.session),
    at,
    server: call.server,
    tool: call.tool,
    outcome: call.outcome,
    errorType: call.errorType,
    ms,
    argumentsHash: hash('sha256', `${call.server}:${call.tool} ${at}`, 'hex'),
    detail: call.outcome === 'ok' && !isCached ? { ...detail, stages: { validate: 1, link } } : detail,
    ...requestOf(call.session, at),
  });
}

function searchOf(worker: Worker, session: string, query: string, at: number): AuditRecord {
  return madeUpEvent({
    ...whoOf(worker, session),
    at: Math.floor(at),
    kind: 'discovery',
    action: 'tool_discovery',
    server: null,
    tool: null,
    ms: 6 + (query.length % 9),
    argumentsHash: hash('sha256', query, 'hex'),
    detail: { count: 5 },
    ...requestOf(session, at),
  });
}

function whoOf({ principal, name, client, project }: Worker, session: string): Partial<AuditRecord> {
  return { principal, principalName: name, client, project, session: hash('sha256', session, 'hex').slice(0, 16) };
}

function requestOf(session: string, at: number): Partial<AuditRecord> {
  const id = hash('sha256', `${session} ${at}`, 'hex');
  return { requestId: id.slice(0, 16), rpcId: String(Number.parseInt(id.slice(0, 3), 16)), trace: id.slice(0, 32) };
}

/** Tokens of a list, a search and a call, against those of a list of everything. */
const tokens = { list: 880, find: 780, execute: 310, direct: 290, listed: 38_000 };

function disclosureOf(made: readonly Made[], searches: readonly AuditRecord[]): DisclosureSum[] {
  const sums = new Map<string, DisclosureSum>();
  const add = (
    at: number,
    project: string | null,
    kind: 'list' | 'find' | 'execute' | 'direct',
    directTokens: number,
  ) => {
    const day = dayOf(at);
    const key = JSON.stringify([day, project, kind]);
    const surface = kind === 'direct' ? 'direct' : 'search';
    const sum = sums.get(key) ?? { day, project, surface, kind, count: 0, tokens: 0, calls: 0, directTokens: 0 };
    sums.set(key, {
      ...sum,
      count: sum.count + 1,
      tokens: sum.tokens + tokens[kind],
      directTokens: sum.directTokens + directTokens,
    });
  };
  // Each began with a session of its own.
  for (const { at, project } of searches) {
    add(at, project, 'list', tokens.listed);
    add(at, project, 'find', 0);
  }
  for (const { worker, call } of made)
    add(call.at, worker.project, call.way === 'direct' ? 'direct' : 'execute', tokens.direct);
  return [...sums.values()];
}

function drawWorker(workers: readonly Worker[], random: Random): Worker {
  let left = random() * workers.reduce((sum, { share }) => sum + share, 0);
  const drawn = workers.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  if (drawn === undefined) throw new Error('A day needs somebody who works.');
  return drawn;
}

/** People work from eight to six (UTC), most of them in the late morning and the afternoon. */
function startOf({ isTireless = false }: Worker, now: number, random: Random): number {
  for (;;) {
    const sinceMs = dayMs * random();
    const hour = new Date(now - dayMs + sinceMs).getUTCHours();
    const busy = hour < 8 || hour > 18 ? 0.04 : hour === 12 ? 0.4 : 1;
    if (isTireless || random() < busy) return sinceMs;
  }
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** Numbers from 0 to 1, the same for the same seed on every machine. */
function numbersOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
