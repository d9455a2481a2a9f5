/** The live state as one immutable view, and how events change it. Nothing here knows a browser, a terminal or a network. */

import type { AuditLine, GatewayEvent, LiveJob, LiveServer, LiveSnapshot, Topic } from '../../admin/admin.ts';

export type LiveMinute = LiveSnapshot['minutes'][number];

export interface LiveView {
  /** The last event that it knows. */
  readonly id: string;
  /** The same of the snapshot that it began with: what changed before that, its events did not tell. */
  readonly since: string;
  /** By name, in their order. */
  readonly servers: ReadonlyMap<string, LiveServer>;
  /** By id, the newest last. */
  readonly jobs: ReadonlyMap<string, LiveJob>;
  /** The newest first. */
  readonly records: readonly AuditLine[];
  /** Those in which tools were called, the oldest first. */
  readonly minutes: LiveSnapshot['minutes'];
  readonly revisions: Readonly<Partial<Record<Topic, string>>>;
}

/** Records and jobs that a view holds: as many as a snapshot has. */
const mostRecords = 200;
const mostJobs = 200;
/** Minutes before the newest one that a view holds. */
const mostMinutes = 59;

export function viewOf({ id, servers, jobs, records, minutes, revisions }: LiveSnapshot): LiveView {
  return {
    id,
    since: id,
    servers: inOrder(new Map(servers.map((server) => [server.name, server]))),
    jobs: new Map(jobs.map((job) => [job.jobId, job])),
    records,
    minutes,
    revisions,
  };
}

/** The view after these events; the same one where nothing changed. */
export function foldEvents(view: LiveView, events: readonly GatewayEvent[]): LiveView {
  const records = events.flatMap((event) => (event.kind === 'record' ? [event.data] : []));
  const folded = events.reduce(foldOne, view);
  return records.length === 0 ? folded : { ...folded, records: withRecords(folded.records, records) };
}

function foldOne(view: LiveView, event: GatewayEvent): LiveView {
  const next = { ...view, id: event.id };
  switch (event.kind) {
    case 'server':
      return { ...next, servers: withServer(view.servers, event.data) };
    case 'server-removed':
      return { ...next, servers: new Map([...view.servers].filter(([name]) => name !== event.data.name)) };
    case 'job':
      return { ...next, jobs: new Map([...new Map(view.jobs).set(event.data.jobId, event.data)].slice(-mostJobs)) };
    case 'minute':
      return { ...next, minutes: withMinute(view.minutes, event.data) };
    case 'changed':
      return { ...next, revisions: { ...view.revisions, [event.data.topic]: event.id } };
    default:
      return next;
  }
}

function withServer(servers: LiveView['servers'], server: LiveServer): LiveView['servers'] {
  const all = new Map(servers).set(server.name, server);
  return servers.has(server.name) ? all : inOrder(all);
}

function inOrder(servers: LiveView['servers']): LiveView['servers'] {
  return new Map([...servers].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A snapshot may hold some of them already. `added`: the oldest first. */
function withRecords(records: LiveView['records'], added: readonly AuditLine[]): LiveView['records'] {
  const newest = records[0]?.id ?? 0;
  return [...added.filter(({ id }) => id > newest).toReversed(), ...records].slice(0, mostRecords);
}

/** Takes the place of what was known of it; the hour ends with the newest minute. */
function withMinute(minutes: LiveView['minutes'], minute: LiveMinute): LiveView['minutes'] {
  const others = minutes.filter(({ start }) => start !== minute.start);
  const all = minute.callCount === 0 ? others : [...others, minute].sort((a, b) => (a.start < b.start ? -1 : 1));
  const first = Date.parse(all.at(-1)?.start ?? minute.start) - mostMinutes * 60_000;
  return all.filter(({ start }) => Date.parse(start) >= first);
}
