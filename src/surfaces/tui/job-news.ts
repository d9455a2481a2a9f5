/** Says when a job of the optimizer has ended, and what came of it, whatever view is shown. */

import { useEffect, useRef } from 'react';
import { isActiveJob, sayJob } from '../wording/wording.ts';
import { useLivePart, useTui } from './state.ts';

/** Draws nothing. */
export function JobNews(): null {
  const { run, tell } = useTui();
  const jobs = useLivePart(({ view }) => view?.jobs);
  /** Those that waited or ran when they were last heard of. */
  const active = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const all = [...(jobs?.values() ?? [])];
    const ended = all.filter((job) => !isActiveJob(job) && active.current.has(job.jobId));
    active.current = new Set(all.filter(isActiveJob).map(({ jobId }) => jobId));
    for (const { jobId, state } of ended) {
      const kind = state === 'done' || state === 'cancelled' ? 'done' : 'failed';
      run('optimize.jobs', { id: jobId }).then(
        ({ jobs: [job] }) => tell(`Job ${state}: ${job ? sayJob(job) : jobId}`, kind),
        // Without its outcome, which somebody may look up later.
        () => tell(`Job ${state}: ${jobId}`, kind),
      );
    }
  }, [jobs, run, tell]);
  return null;
}
