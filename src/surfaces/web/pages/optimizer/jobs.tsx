/** Jobs of the optimizer: how far each is, as it happens, and what it decided. */

import { useState } from 'preact/hooks';
import type { LiveJob } from '../../../../admin/admin.ts';
import { isActiveJob, type Job, percentDone, renderJob, sayClasses } from '../../../wording/wording.ts';
import { Badge, Button, Empty, Panel, type Tone, WhenFetched } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { SaidLines } from '../../parts/texts.tsx';
import { useLive, useOperation, useOrder } from '../../state.ts';

const tones: Readonly<Record<string, Tone>> = { done: 'good', failed: 'bad', paused: 'warn', cancelled: 'quiet' };

/** Jobs that are shown at first, the newest. */
const fewJobs = 5;

/** `server`: only jobs that are at work there. */
export function JobsPanel({ server }: { readonly server?: string }) {
  const jobs = [...useLive((view) => view.jobs).values()].toReversed();
  const own = jobs.filter(({ progress }) => server === undefined || progress.serverName === server);
  const [isWhole, setWhole] = useState(false);
  return (
    <Panel
      title="Jobs"
      tools={
        own.length > fewJobs && (
          <Button label={`Show all ${own.length}`} aria-pressed={isWhole} onClick={() => setWhole(!isWhole)} />
        )
      }
    >
      {own.length === 0 && <Empty title="No jobs yet">“Optimize …” starts one.</Empty>}
      <ul class="list lined">
        {own.slice(0, isWhole ? own.length : fewJobs).map((job) => (
          <JobRow key={job.jobId} job={job} />
        ))}
      </ul>
    </Panel>
  );
}

function JobRow({ job }: { readonly job: LiveJob }) {
  const { jobId, state, message } = job;
  const progress = job.progress as unknown as Job['progress']; // as the job wrote it
  const [isOpen, setOpen] = useState(false);
  const { give, isRunning } = useOrder();
  const percent = Math.floor(percentDone(progress));
  return (
    <li>
      <div class="hit-head spread">
        <span>
          <Badge tone={tones[state] ?? 'plain'}>{state}</Badge> <code>{jobId}</code>
        </span>
        <span class="tools">
          <Button
            label={isOpen ? 'Hide outcome' : 'Show outcome'}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
          {isActiveJob(job) && (
            <ConfirmButton
              label="Cancel job"
              question="Cancel this job? It ends after the current prompt; finished runs are kept."
              isDisabled={isRunning}
              onConfirm={() => void give('optimize.cancel', { id: jobId }, 'The job is cancelled.')}
            />
          )}
        </span>
      </div>
      <progress max={100} value={percent} aria-label={`Progress of ${jobId}`} />
      <p>
        {percent} %: {message}
        <small> {sayClasses(progress.byCategory)}</small>
      </p>
      {isOpen && <JobOutcome key={state} id={jobId} />}
    </li>
  );
}

function JobOutcome({ id }: { readonly id: string }) {
  const answer = useOperation('optimize.jobs', { id });
  return (
    <WhenFetched answer={answer}>
      {({ jobs: [job] }) => job && <SaidLines label={`Outcome of ${id}`} text={renderJob(job)} />}
    </WhenFetched>
  );
}
