/** Starting a job: what is tried, by whom, and what it costs at most, before it begins. */

import { useState } from 'preact/hooks';
import type { InputOf, OutputOf } from '../../../../admin/admin.ts';
import { sayEstimate } from '../../../wording/wording.ts';
import { FormField } from '../../parts/basic.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useOrder } from '../../state.ts';

type JobInput = InputOf<'optimize.run'>;
type Estimate = Exclude<OutputOf<'optimize.run'>, { jobId: string }>['estimate'];

interface StartJobProps {
  /** Left out: every server. */
  readonly server?: string;
  readonly tool?: string;
}

/** A button that opens the form. */
export function StartJobButton(props: StartJobProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="main" onClick={() => setOpen(true)}>
        Optimize …
      </button>
      {isOpen && <StartJobForm {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

const judges = ['search', 'model', 'agent'] as const;

function StartJobForm({ server, tool, onClose }: StartJobProps & { readonly onClose: () => void }) {
  const [wanted, setWanted] = useState<JobInput>({ server, tools: tool === undefined ? undefined : [tool] });
  // It counts for these very settings, also if they changed while it was asked for.
  const [estimated, setEstimated] = useState<{ readonly of: JobInput; readonly estimate: Estimate } | undefined>();
  const estimate = estimated?.of === wanted ? estimated.estimate : undefined;
  const { give, isRunning } = useOrder();
  const change = (part: Partial<JobInput>) => setWanted({ ...wanted, ...part });
  const askForEstimate = async () => {
    const answer = await give('optimize.run', { ...wanted, dryRun: true });
    if (answer && 'estimate' in answer && !('jobId' in answer)) setEstimated({ of: wanted, estimate: answer.estimate });
  };
  const start = async () => {
    if (await give('optimize.run', wanted, 'The job has started.')) onClose();
  };
  const what = server === undefined ? 'every server' : tool === undefined ? server : `${server}:${tool}`;
  return (
    <Dialog title={`Optimize ${what}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void (estimate ? start() : askForEstimate());
        }}
      >
        <p>
          Tries candidates on the golden prompts of each tool that has some. Nothing changes for agents unless you
          promote.
        </p>
        <JobAmounts change={change} />
        <FormField label="Judge" hint="Who picks a tool for each prompt.">
          <select
            onChange={({ currentTarget: { value } }) => change({ judge: judges.find((judge) => judge === value) })}
          >
            <option value="">As configured</option>
            <option value="search">search: the search of this gateway, at no cost</option>
            <option value="model">model: the configured model</option>
            <option value="agent">agent: an agent program</option>
          </select>
        </FormField>
        <label class="check">
          <input type="checkbox" onChange={({ currentTarget }) => change({ autoPromote: currentTarget.checked })} />{' '}
          Promote the best candidate of each tool, if it passes the gates
        </label>
        {estimate && (
          <p class="notice estimate" role="status">
            {sayEstimate(estimate)}
          </p>
        )}
        <div class="tools">
          <button type="submit" class="main" disabled={isRunning || estimate?.prompts === 0}>
            {estimate ? 'Start job' : 'Estimate'}
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function JobAmounts({ change }: { readonly change: (part: Partial<JobInput>) => void }) {
  return (
    <div class="fields">
      <AmountField
        label="Candidates"
        hint="To write for a tool that has none."
        range={[1, 10]}
        onAmount={(candidatesPerTool) => change({ candidatesPerTool })}
      />
      <AmountField
        label="Prompts"
        hint="At most, of each class."
        range={[1, 1_000]}
        onAmount={(promptsPerCategory) => change({ promptsPerCategory })}
      />
      <AmountField
        label="Threshold (%)"
        hint="Overall success that a promotion needs."
        range={[0, 100]}
        onAmount={(percent) => change({ threshold: percent === undefined ? undefined : percent / 100 })}
      />
      <AmountField
        label="Repeats"
        hint="How often each prompt is judged."
        range={[1, 20]}
        onAmount={(repeats) => change({ repeats })}
      />
    </div>
  );
}

interface AmountFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly range: readonly [number, number];
  /** Undefined: as configured. */
  readonly onAmount: (amount: number | undefined) => void;
}

function AmountField({ label, hint, range: [min, max], onAmount }: AmountFieldProps) {
  return (
    <FormField label={label} hint={hint}>
      <input
        type="number"
        min={min}
        max={max}
        placeholder="default"
        onInput={({ currentTarget: { value } }) => onAmount(value === '' ? undefined : Number(value))}
      />
    </FormField>
  );
}
