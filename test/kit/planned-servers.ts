/** Test servers for the config of a gateway: each by its name, with a journal of its own. */

import { hostedServer } from '../servers/hosted.ts';
import { type JournalEntry, newJournal, readJournal, type ServerSpec, serverCommand } from '../servers/launch.ts';

export type Plan = ServerSpec & {
  /** More members of the server's entry in the config. */
  readonly entry?: Record<string, unknown>;
};

export interface PlannedServers {
  /** Members of `mcpServers`. */
  readonly servers: Record<string, Record<string, unknown>>;
  journalOf(name: string): string;
  /** A server's notes so far, of one kind if wanted. */
  noted(name: string, event?: JournalEntry['event']): JournalEntry[];
}

export interface PlannedProcesses extends PlannedServers {
  /** Every process that was started for a server, grandchildren included. */
  pidsOf(name: string): number[];
}

/** Plans stdio servers; nothing runs until a gateway starts them. */
export function planServers(plans: Readonly<Record<string, Plan>>): PlannedProcesses {
  return planned(plans, serverCommand);
}

/** Plans servers that this process serves over HTTP: for tests of anything but processes and pipes. */
export function hostServers(plans: Readonly<Record<string, Plan>>): PlannedServers {
  return planned(plans, hostedServer);
}

function planned(plans: Readonly<Record<string, Plan>>, make: (spec: ServerSpec) => object): PlannedProcesses {
  const journals = new Map<string, string>();
  const servers: Record<string, Record<string, unknown>> = {};
  for (const [name, { entry, ...spec }] of Object.entries(plans)) {
    const journal = spec.journal ?? newJournal();
    journals.set(name, journal);
    servers[name] = { ...make({ name, ...spec, journal }), ...entry };
  }
  const journalOf = (name: string) => journals.get(name) ?? '';
  const noted: PlannedServers['noted'] = (name, event) =>
    readJournal(journalOf(name)).filter((entry) => event === undefined || entry.event === event);
  const pidsOf = (name: string) => [
    ...new Set(
      noted(name).flatMap(({ pid, grandchildPid }) => (typeof grandchildPid === 'number' ? [pid, grandchildPid] : pid)),
    ),
  ];
  return { servers, journalOf, noted, pidsOf };
}

/** Between two lists that notices bring about, at least. */
const spacingMs = 900;

/** How often notices may have a server listed while a storm lasts, which its journal says: each list comes twice as late as the one before. */
export function mostListsIn(journal: readonly JournalEntry[]): number {
  return 1 + Math.floor(Math.log2(stormMs(journal) / spacingMs + 1));
}

/** The same where each list finds a change. */
export function mostChangesIn(journal: readonly JournalEntry[]): number {
  return 2 + Math.floor(stormMs(journal) / spacingMs);
}

/** How long the storm took on this machine. */
function stormMs(journal: readonly JournalEntry[]): number {
  const first = journal.find(({ event }) => event === 'list');
  const done = journal.find(({ event }) => event === 'storm-done');
  return (done?.at ?? 0) - (first?.at ?? 0);
}
