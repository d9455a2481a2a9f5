/** Upgrades of servers that brought something to decide about: what each one brought, as one event. */

import type { StoredPin, StoredPinEvent } from '../store/store.ts';
import type { AdminContext } from './operation.ts';

/** A server that has another version, and what came with it. Several in a row are one, until the owner decides. */
export interface ServerUpgrade {
  readonly server: string;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  /** When the first of several came: what is older was not brought by it. */
  readonly since: string;
  /** Keys of definitions: new ones, changed ones and those that are gone. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** How many of these wait for a decision, and how many passed with a mark. */
  readonly waiting: number;
  readonly marked: number;
}

/** Upgrades that are looked back at, and changes of definitions. */
const mostUpgrades = 100;
const mostMarks = 2_000;

/** `undecided`: what waits or is marked. The newest upgrade comes first. */
export async function upgradesBehind(
  { store }: Pick<AdminContext, 'store'>,
  undecided: readonly StoredPin[],
): Promise<ServerUpgrade[]> {
  const upgrades = [...Map.groupBy(undecided, ({ server }) => server)].map(async ([server, pins]) => {
    const events = await store.listPinEvents({ server, kind: 'server', name: '', limit: mostUpgrades });
    const since = new Set(pins.map((pin) => pin.since));
    const known = events.filter(({ act }) => act === 'upgraded');
    const first = known.findLast(({ at }) => since.has(at));
    const [last] = known;
    return first && last ? [await describeUpgrade(store, first, last, pins)] : [];
  });
  return (await Promise.all(upgrades)).flat().sort((a, b) => (a.at < b.at ? 1 : -1));
}

async function describeUpgrade(
  store: AdminContext['store'],
  first: StoredPinEvent,
  last: StoredPinEvent,
  undecided: readonly StoredPin[],
): Promise<ServerUpgrade> {
  const { server } = last;
  const marks = await store.listChangeMarks({ server, limit: mostMarks });
  const of = (change: string) => {
    const found = marks.filter((mark) => mark.at >= first.at && mark.change === change);
    return [...new Set(found.map(({ name }) => `${server}:${name}`))].sort();
  };
  const own = undecided.filter(({ since }) => since >= first.at);
  const waiting = own.filter(({ pending }) => pending !== null).length;
  return {
    ...{ server, from: first.before ?? '', to: last.after ?? '' },
    ...{ at: new Date(last.at).toISOString(), since: new Date(first.at).toISOString() },
    ...{ added: of('added'), changed: of('updated'), removed: of('removed') },
    ...{ waiting, marked: own.length - waiting },
  };
}
