/** Watches the layers for whoever reads events, and says each change once: how the thing is now. */

import type { Clock } from '../base/clock.ts';
import type { Snapshot } from '../catalog/catalog.ts';
import { knowsJobsOn, shownJob } from '../optimizer/optimizer.ts';
import type { StoredAuditRecord, StoredJob } from '../store/store.ts';
import { reportServer } from '../tools/tools.ts';
import { lineOfRecord } from './audit-operations.ts';
import type { EventWatch, PublishEvent } from './event-hub.ts';
import type { LiveJob, LiveServer, Topic } from './live-events.ts';
import type { AdminContext } from './operation.ts';
import { OtherRecords } from './other-records.ts';

/** Changes of this time are told as one: a server that connects changes many times in a moment. */
const gatherMs = 50;
/** Agents are seen at every request. */
const agentsEveryMs = 1_000;
/** Counts and recordings change with every call. */
const callsGatherMs = 250;

export type WatchedLayers = Omit<AdminContext, 'events' | 'about'>;

export function watchGateway(layers: WatchedLayers, publish: PublishEvent): EventWatch {
  const { catalog, downstream, access, projects, approvals, secrets, audit, metrics, optimizer, clock, recorder } =
    layers;
  const servers = new WatchedServers(layers, publish);
  const topic = (name: Topic) => () => publish('changed', { topic: name });
  const minutes = gather(clock, callsGatherMs, minutesTeller(metrics, publish));
  const definitions = gather(clock, gatherMs, topic('definitions'));
  const tellRecord = (record: StoredAuditRecord) => publish('record', lineOfRecord(record));
  const others = layers.store.isShared ? new OtherRecords(audit, tellRecord) : undefined;
  const stops = [
    downstream.changed.on((name) => servers.look([name])),
    catalog.renewed.on(() => servers.lookAtRenewed()),
    catalog.listingEnded.on((name) => servers.look([name])),
    catalog.configured.on(() => servers.look()),
    catalog.configured.on(topic('config')),
    catalog.changed.on(gather(clock, gatherMs, topic('tools'))),
    catalog.pins.told.on(({ server }) => {
      servers.look([server]);
      definitions();
    }),
    catalog.pins.takenOver.on(definitions),
    access.changed.on(gather(clock, gatherMs, topic('tokens'))),
    projects.changed.on(gather(clock, gatherMs, topic('projects'))),
    approvals.changed.on(gather(clock, gatherMs, topic('approvals'))),
    secrets.changed.on(topic('secrets')),
    layers.agents.changed.on(gather(clock, agentsEveryMs, topic('agents'))),
    recorder.changed.on(gather(clock, callsGatherMs, topic('recording'))),
    audit.written.on((records) => {
      for (const record of records) {
        others?.note(record);
        tellRecord(record);
      }
    }),
    metrics.outdated.on(gather(clock, callsGatherMs, () => others?.look())),
    metrics.outdated.on(() => void metrics.refresh()),
    metrics.recounted.on(minutes),
    metrics.recorded.on(minutes),
    metrics.forgotten.on(minutes),
    optimizer.jobs.changed.on((job) =>
      publish(
        'job',
        liveJob(job),
        (principal) =>
          principal.scopes.has('optimize') && optimizer.jobs.isWithin(job, knowsJobsOn(catalog.snapshot, principal)),
      ),
    ),
  ];
  return {
    forget: () => servers.forget(),
    stop() {
      for (const stop of stops) stop();
      servers.close();
    },
  };
}

/** The outcome may be long, and can be asked for. */
export function liveJob(job: StoredJob): LiveJob {
  const { outcome: _, ...shown } = shownJob(job);
  return shown;
}

export async function liveServer(
  layers: Pick<WatchedLayers, 'catalog' | 'registry' | 'downstream' | 'store'>,
  name: string,
): Promise<LiveServer> {
  const { callsInFlight: _calls, installingSeconds: _seconds, ...server } = await reportServer(layers, name);
  return server;
}

/** Tells of the minutes that changed since the last time. */
function minutesTeller(metrics: WatchedLayers['metrics'], publish: PublishEvent): () => void {
  const read = () => metrics.lastHour().map((minute) => [minute, JSON.stringify(minute)] as const);
  let told = new Map(read().map(([{ start }, text]) => [start, text]));
  return () => {
    const minutes = read();
    for (const [minute, text] of minutes) {
      const before = told.get(minute.start);
      // One that only just began has nothing to tell.
      if (before === undefined ? minute.callCount > 0 : before !== text) publish('minute', minute);
    }
    told = new Map(minutes.map(([{ start }, text]) => [start, text]));
  };
}

/** Reports servers that may have changed, one after the other, and tells of those that did. */
class WatchedServers {
  readonly #layers: WatchedLayers;
  readonly #publish: PublishEvent;
  /** The state of each server as it was told last, by name. */
  readonly #told = new Map<string, string>();
  readonly #waiting = new Set<string>();
  /** As they were when the catalog was last renewed. */
  #seen: Snapshot['servers'] = new Map();
  readonly #look: () => void;
  #isLooking = false;
  #isClosed = false;

  constructor(layers: WatchedLayers, publish: PublishEvent) {
    this.#layers = layers;
    this.#publish = publish;
    this.forget();
    this.#look = gather(layers.clock, gatherMs, () => void this.#tell());
  }

  /** Left out, all of them. */
  look(names: Iterable<string> = [...this.#names(), ...this.#told.keys()]): void {
    for (const name of names) this.#waiting.add(name);
    this.#look();
  }

  /** At those whose entry in the catalog is another one, and at those that are gone. */
  lookAtRenewed(): void {
    const { servers } = this.#layers.catalog.snapshot;
    const names = new Set([...this.#names(), ...this.#told.keys()]);
    this.look([...names].filter((name) => !servers.has(name) || servers.get(name) !== this.#seen.get(name)));
    this.#seen = servers;
  }

  /** Somebody reads the state of now, which may be on its way from what was told to the same again: the next look is told. */
  forget(): void {
    for (const name of this.#names()) this.#told.set(name, '');
  }

  close(): void {
    this.#isClosed = true;
  }

  #names(): Iterable<string> {
    return this.#layers.catalog.snapshot.servers.keys();
  }

  async #tell(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const unread: string[] = [];
    for (const name of this.#waiting) {
      this.#waiting.delete(name);
      const server = this.#layers.catalog.snapshot.servers.has(name)
        ? await liveServer(this.#layers, name).catch(() => null)
        : undefined;
      if (this.#isClosed) return;
      if (server) this.#tellServer(server);
      else if (server === null) unread.push(name);
      else if (this.#told.delete(name)) this.#publish('server-removed', { name });
    }
    // A server that the store could not give is read with the next change.
    for (const name of unread) this.#waiting.add(name);
    this.#isLooking = false;
  }

  #tellServer(server: LiveServer): void {
    const text = JSON.stringify(server);
    if (this.#told.get(server.name) === text) return;
    this.#told.set(server.name, text);
    this.#publish('server', server);
  }
}

/** A function that acts once for all its uses within a time. */
function gather(clock: Clock, ms: number, act: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(ms, () => {
      isWaiting = false;
      act();
    });
  };
}
