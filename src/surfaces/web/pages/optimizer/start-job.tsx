/** Starting a job: what is tried, by whom, and what it costs at most, before it begins. */

import { useState } from 'preact/hooks';
import type { InputOf, OutputOf } from '../../../../admin/admin.ts';
import { sayEstimate } from '../../../wording/wording.ts';
import { Button, FormField } from '../../parts/basic.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Check, PageForm, SelectField } from '../../parts/fields.tsx';
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
  const { server, tool } = props;
  const what = server === undefined ? 'every server' : tool === undefined ? server : `${server}:${tool}`;
  return (
    <DialogButton label="Optimize …" title={`Optimize ${what}`} look="main">
      {(close) => <StartJobForm {...props} onClose={close} />}
    </DialogButton>
  );
}

const judges = [
  ['search', 'search: the search of this gateway, at no cost'],
  ['model', 'model: the configured model'],
  ['agent', 'agent: an agent program'],
] as const;

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
  return (
    <PageForm onSend={() => void (estimate ? start() : askForEstimate())}>
      <p>
        Tries candidates on the golden prompts of each tool that has some. Nothing changes for agents unless you
        promote.
      </p>
      <JobAmounts change={change} />
      <SelectField
        label="Judge"
        hint="Who picks a tool for each prompt."
        none="As configured"
        value={wanted.judge ?? ''}
        choices={judges}
        onValue={(judge) => change({ judge: judge === '' ? undefined : judge })}
      />
      <Check isOn={wanted.autoPromote ?? false} onValue={(autoPromote) => change({ autoPromote })}>
        Promote the best candidate of each tool, if it passes the gates
      </Check>
      {estimate && (
        <p class="notice estimate" role="status">
          {sayEstimate(estimate)}
        </p>
      )}
      <div class="tools">
        <button type="submit" class="main" disabled={isRunning || estimate?.prompts === 0}>
          {estimate ? 'Start job' : 'Estimate'}
        </button>
        <Button label="Close" onClick={onClose} />
      </div>
    </PageForm>
  );
}

function JobAmounts({ change }: { readonly change: (part: Partial<JobInput>) => void }) {
  return (
    <div class="grid fields">
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
