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
  const [estimate, setEstimate] = useState<Estimate | undefined>();
  const { give, isRunning } = useOrder();
  const change = (part: Partial<JobInput>) => {
    setWanted({ ...wanted, ...part });
    setEstimate(undefined);
  };
  const askForEstimate = async () => {
    const answer = await give('optimize.run', { ...wanted, dryRun: true });
    if (answer && 'estimate' in answer && !('jobId' in answer)) setEstimate(answer.estimate);
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
  const number = (text: string) => (text === '' ? undefined : Number(text));
  return (
    <div class="fields">
      <FormField label="Candidates" hint="To write for a tool that has none.">
        <input
          type="number"
          min={1}
          max={10}
          placeholder="default"
          onInput={({ currentTarget }) => change({ candidatesPerTool: number(currentTarget.value) })}
        />
      </FormField>
      <FormField label="Prompts" hint="At most, of each class.">
        <input
          type="number"
          min={1}
          max={1_000}
          placeholder="default"
          onInput={({ currentTarget }) => change({ promptsPerCategory: number(currentTarget.value) })}
        />
      </FormField>
      <FormField label="Threshold (%)" hint="Overall success that a promotion needs.">
        <input
          type="number"
          min={0}
          max={100}
          placeholder="default"
          onInput={({ currentTarget }) => {
            const percent = number(currentTarget.value);
            change({ threshold: percent === undefined ? undefined : percent / 100 });
          }}
        />
      </FormField>
      <FormField label="Repeats" hint="How often each prompt is judged.">
        <input
          type="number"
          min={1}
          max={20}
          placeholder="default"
          onInput={({ currentTarget }) => change({ repeats: number(currentTarget.value) })}
        />
      </FormField>
    </div>
  );
}
