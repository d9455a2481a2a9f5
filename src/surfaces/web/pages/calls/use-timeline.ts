/** The calls of the timeline: those of the audit, older ones when asked for, and new ones as they come. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AuditLine } from '../../../../admin/admin.ts';
import { type ApiError, run } from '../../session.ts';
import { asApiError, useThrottled, useView } from '../../state.ts';
import { type CallFilter, isShown, queryOf } from './call-filter.ts';

interface Known {
  /** The newest first; undefined before the first answer. */
  readonly calls: readonly AuditLine[] | undefined;
  /** Where the next page of older ones begins; null: there is none. */
  readonly next: number | null;
  readonly error: ApiError | undefined;
}

export interface Timeline extends Known {
  readonly loadOlder: () => void;
  readonly reload: () => void;
}

const pageLength = 100;
/** Calls that a page left open keeps; older ones can be asked for again. */
const mostCalls = 10_000;
/** New calls are drawn together: nobody reads faster, and drawing a table is expensive. */
const drawMs = 250;
const nothing: Known = { calls: undefined, next: null, error: undefined };

/** For one filter: the component needs another key for another filter. */
export function useTimeline(filter: CallFilter): Timeline {
  const records = useThrottled(useView().records, drawMs);
  const [known, setKnown] = useState(nothing);
  const [again, setAgain] = useState(0);
  const reload = useCallback(() => setAgain((count) => count + 1), []);
  const newest = useRef(0);
  newest.current = records[0]?.id ?? 0;
  /** The last record that was looked at, whether it is shown or not. */
  const seen = useRef(0);
  const stopLoading = useRef<AbortController | undefined>(undefined);
  const load = useCallback(async (before: number | undefined) => {
    const stop = new AbortController();
    stopLoading.current = stop;
    try {
      const query = { ...queryOf(filter, Date.now()), before, limit: pageLength };
      const page = await run('audit.list', query, stop.signal);
      const kept = (calls: Known['calls']) => (before === undefined ? [] : (calls ?? []));
      setKnown(({ calls }) => ({ calls: [...kept(calls), ...page.records], next: page.next, error: undefined }));
    } catch (error) {
      if (!stop.signal.aborted) setKnown((now) => ({ ...now, error: asApiError(error) }));
    } finally {
      if (stopLoading.current === stop) stopLoading.current = undefined;
    }
  }, []);
  useEffect(() => {
    setKnown(nothing);
    // The answer has all of these: records are written before their events are sent.
    seen.current = newest.current;
    void load(undefined);
    return () => stopLoading.current?.abort();
  }, [load, again]);
  const isReady = known.calls !== undefined;
  useEffect(() => {
    if (!isReady) return;
    // After a lost connection, some records may have come without an event.
    if ((records.at(-1)?.id ?? 0) > seen.current + 1 && seen.current > 0) return reload();
    const fresh = records.filter((record) => record.id > seen.current && isShown(record, filter, Date.now()));
    seen.current = newest.current;
    if (fresh.length > 0) setKnown((now) => withFresh(now, fresh));
  }, [records, isReady]);
  const loadOlder = () => {
    if (known.next !== null && !stopLoading.current) void load(known.next);
  };
  return { ...known, loadOlder, reload };
}

/** Skips calls that an answer already brought. */
function withFresh({ calls = [], next, error }: Known, fresh: readonly AuditLine[]): Known {
  const last = calls[0]?.id ?? 0;
  const all = [...fresh.filter(({ id }) => id > last), ...calls];
  const kept = all.slice(0, mostCalls);
  return { calls: kept, next: all.length > mostCalls ? (kept.at(-1)?.id ?? null) : next, error };
}
