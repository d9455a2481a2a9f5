/** Answers about the optimizer are asked for again after each order to it, and when a job ends. */

import { useEffect, useRef } from 'preact/hooks';
import { type Fetched, useView } from '../../state.ts';
import { isActiveJob } from './figures.ts';

export function useFresh<T>(fetched: Fetched<T>): Fetched<T> {
  const { records, jobs } = useView();
  const order = records.find(({ kind, action }) => kind === 'administration' && action.startsWith('optimize.'));
  const ended = [...jobs.values()].filter((job) => !isActiveJob(job)).length;
  const mark = `${order?.id ?? 0} ${ended}`;
  const known = useRef(mark);
  useEffect(() => {
    if (known.current === mark) return;
    known.current = mark;
    fetched.reload();
  }, [mark]);
  return fetched;
}
