/** The calls of the timeline: those of the audit, older ones when asked for, and new ones as they come. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AuditLine, OutputOf } from '../../../../admin/admin.ts';
import { type ApiError, run } from '../../session.ts';
import { asApiError, useLive, usePageState, useRevision } from '../../state.ts';
import { type CallFilter, isShown, queryOf } from './call-filter.ts';

interface Known {
  /** The newest first, none missing in between; undefined before the first answer. */
  readonly calls: readonly AuditLine[] | undefined;
  /** Where the next page of older ones begins; null: there is none. */
  readonly next: number | null;
  readonly error: ApiError | undefined;
  /** False while the newest ones are asked for: those that come meanwhile are added to the answer. */
  readonly isCurrent: boolean;
}

export interface Timeline extends Known {
  readonly loadOlder: () => void;
  readonly reload: () => void;
}

const pageLength = 100;
/** Calls that may have been missed and are still joined to those before them; after more, the list begins anew. */
const mostMissed = 1_000;
/** Calls that a page left open keeps; older ones can be asked for again. */
const mostCalls = 2_000;
const nothing: Known = { calls: undefined, next: null, error: undefined, isCurrent: false };

/** For one filter: the component needs another key for another filter. */
export function useTimeline(filter: CallFilter): Timeline {
  const { live } = usePageState();
  const records = useLive((view) => view.records);
  const snapshot = useRevision([]);
  const [known, setKnown] = useState(nothing);
  const { calls, next, isCurrent } = known;
  /** The last record that was looked at, whether it is shown or not. */
  const seen = useRef(0);
  const loading = useRef<AbortController | undefined>(undefined);
  const load = useCallback(async (limit: number, before?: number) => {
    loading.current?.abort();
    const stop = new AbortController();
    loading.current = stop;
    try {
      const page = await run('audit.list', { ...queryOf(filter, Date.now()), before, limit }, stop.signal);
      setKnown((now) => (before === undefined ? withNewest(now, page) : withOlder(now, page, before)));
    } catch (error) {
      if (!stop.signal.aborted) setKnown((now) => ({ ...now, error: asApiError(error) }));
    } finally {
      if (loading.current === stop) loading.current = undefined;
    }
  }, []);
  const reload = () => {
    // The answer has all of these: records are written before their events are sent.
    seen.current = live.view.records[0]?.id ?? 0;
    setKnown((now) => ({ ...now, error: undefined, isCurrent: false }));
    void load(calls ? mostMissed : pageLength);
  };
  useLayoutEffect(() => () => loading.current?.abort(), []);
  useLayoutEffect(reload, [snapshot]);
  useLayoutEffect(() => {
    if (!isCurrent) return;
    // A tab in the background gets many at once, and the view holds the newest of them alone.
    if ((records.at(-1)?.id ?? 0) > seen.current + 1) return reload();
    const fresh = records.filter((record) => record.id > seen.current && isShown(record, filter, Date.now()));
    seen.current = records[0]?.id ?? 0;
    if (fresh.length > 0) setKnown((now) => withFresh(now, fresh));
  }, [records, isCurrent]);
  const loadOlder = () => {
    if (next !== null && !loading.current) void load(pageLength, next);
  };
  return { ...known, loadOlder, reload };
}

type Page = OutputOf<'audit.list'>;

/** Joined to the calls that are known, or alone where others may be missing in between. */
function withNewest({ calls = [], next }: Known, page: Page): Known {
  const isJoined = page.next !== null && (calls[0]?.id ?? 0) >= page.next;
  const older = isJoined ? calls.filter(({ id }) => id < (page.next ?? 0)) : [];
  const isLonger = older.length > 0;
  return { calls: [...page.records, ...older], next: isLonger ? next : page.next, error: undefined, isCurrent: true };
}

/** Those older than `before`: nothing where new calls have meanwhile taken the place of the oldest ones. */
function withOlder(known: Known, page: Page, before: number): Known {
  const { calls = [], next, isCurrent } = known;
  if (next !== before) return known;
  return { calls: [...calls, ...page.records], next: page.next, error: undefined, isCurrent };
}

/** Skips calls that an answer already brought. */
function withFresh({ calls = [], next, ...rest }: Known, fresh: readonly AuditLine[]): Known {
  const last = calls[0]?.id ?? 0;
  const all = [...fresh.filter(({ id }) => id > last), ...calls];
  const kept = all.slice(0, mostCalls);
  return { ...rest, calls: kept, next: all.length > mostCalls ? (kept.at(-1)?.id ?? null) : next };
}
