/** Try it: a form made of the input schema, the call, its answer, and the same call as commands. */

import { useMemo, useState } from 'preact/hooks';
import type { SurveyedTool } from '../../../../admin/admin.ts';
import { isSchema } from '../../../wording/wording.ts';
import { Button, Panel } from '../../parts/basic.tsx';
import { CopyBlock } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { PageForm } from '../../parts/fields.tsx';
import { curlOf, toolcribCallOf } from '../../parts/shell-commands.ts';
import { type ApiError, gatewayUrl, run } from '../../session.ts';
import { asApiError, useOwnCommand } from '../../state.ts';
import { CallAnswerView } from './call-answer.tsx';
import { type Draft, type DraftProblem, draftOfValue, valueOfDraft } from './form-draft.ts';
import { fieldOfSchema, type SchemaField } from './read-schema.ts';
import { MemberInputs } from './schema-inputs.tsx';

interface TryToolProps {
  readonly toolKey: string;
  readonly inputSchema: unknown;
  readonly permission: SurveyedTool['permission'];
}

/** Both ways of writing the arguments; what one says, the other shows. */
interface Written {
  readonly mode: 'form' | 'json';
  readonly draft: Draft;
  readonly json: string;
}

interface Given {
  readonly value: Readonly<Record<string, unknown>>;
  readonly problems: readonly DraftProblem[];
}

export function TryTool({ toolKey, inputSchema, permission }: TryToolProps) {
  const field = useMemo(() => fieldOfSchema(inputSchema), [JSON.stringify(inputSchema)]);
  const isForm = field.kind === 'object';
  const [written, setWritten] = useState<Written>({ mode: isForm ? 'form' : 'json', draft: undefined, json: '{}' });
  const [isChecked, setChecked] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const call = useCall(toolKey);
  const command = useOwnCommand();
  const given = givenIn(field, written);
  const problems = new Map((isChecked ? given.problems : []).map(({ path, message }) => [path, message]));
  const start = () => {
    setChecked(true);
    if (given.problems.length > 0) return;
    if (permission === 'ask') setAsking(true);
    else void call.start(given.value, false);
  };
  return (
    <>
      <Panel title="Try it" tools={isForm && <ModeSwitch field={field} written={written} onChange={setWritten} />}>
        <PageForm class="narrow" onSend={start}>
          {written.mode === 'form' && isForm ? (
            <ToolForm
              field={field}
              draft={written.draft}
              problems={problems}
              onChange={(draft) => setWritten({ ...written, draft })}
            />
          ) : (
            <JsonArguments
              text={written.json}
              problem={problems.get('')}
              onChange={(json) => setWritten({ ...written, json })}
            />
          )}
          <div class="tools">
            <button type="submit" class="main" disabled={call.isRunning}>
              Call the tool
            </button>
            {call.isRunning && <Button label="Cancel" onClick={call.stop} />}
            {permission === 'ask' && <span class="soft">Its calls need approval: you are asked first.</span>}
            {problems.size > 0 && (
              <span class="bad" role="alert">
                {problems.size === 1
                  ? 'One value is missing or wrong.'
                  : `${problems.size} values are missing or wrong.`}
              </span>
            )}
          </div>
        </PageForm>
      </Panel>
      {isAsking && (
        <ApproveCall
          toolKey={toolKey}
          given={given.value}
          onClose={() => setAsking(false)}
          onApprove={() => {
            setAsking(false);
            void call.start(given.value, true);
          }}
        />
      )}
      <CallAnswerView call={call} />
      <Panel title="The same call as a command">
        <CopyBlock label="toolcrib call" text={toolcribCallOf(command, toolKey, given.value)} />
        <CopyBlock label="cURL" text={curlOf(gatewayUrl(), toolKey, given.value)} />
      </Panel>
    </>
  );
}

function givenIn(field: SchemaField, { mode, draft, json }: Written): Given {
  if (mode === 'form') {
    const { value, problems } = valueOfDraft(field, draft);
    return { value: isSchema(value) ? value : {}, problems };
  }
  try {
    const value: unknown = JSON.parse(json);
    if (isSchema(value)) return { value, problems: [] };
    return { value: {}, problems: [{ path: '', message: 'The arguments must be a JSON object.' }] };
  } catch (error) {
    return { value: {}, problems: [{ path: '', message: `This is not JSON: ${(error as Error).message}` }] };
  }
}

interface ModeSwitchProps {
  readonly field: SchemaField;
  readonly written: Written;
  readonly onChange: (written: Written) => void;
}

function ModeSwitch({ field, written, onChange }: ModeSwitchProps) {
  const [isStuck, setStuck] = useState(false);
  const toJson = () =>
    onChange({ ...written, mode: 'json', json: JSON.stringify(givenIn(field, written).value, null, 2) });
  const toForm = () => {
    const { value, problems } = givenIn(field, written);
    const found = problems.length === 0 ? draftOfValue(field, value) : undefined;
    setStuck(found === undefined);
    if (found) onChange({ ...written, mode: 'form', draft: found.draft });
  };
  return (
    <>
      {isStuck && written.mode === 'json' && (
        <span class="bad">The form has no field for some of these arguments.</span>
      )}
      <Button
        label={written.mode === 'form' ? 'Edit as JSON' : 'Edit as a form'}
        onClick={written.mode === 'form' ? toJson : toForm}
      />
    </>
  );
}

interface ToolFormProps {
  readonly field: SchemaField & { readonly kind: 'object' };
  readonly draft: Draft;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (draft: Draft) => void;
}

function ToolForm(props: ToolFormProps) {
  if (props.field.members.length === 0) return <p class="soft">This tool takes no arguments.</p>;
  return <MemberInputs {...props} path="" />;
}

interface JsonArgumentsProps {
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function JsonArguments({ text, problem, onChange }: JsonArgumentsProps) {
  return (
    <div class="field">
      <textarea
        class="fixed"
        rows={Math.min(24, Math.max(6, text.split('\n').length + 1))}
        aria-label="Arguments as JSON"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {problem && <span class="bad">{problem}</span>}
    </div>
  );
}

interface ApproveCallProps {
  readonly toolKey: string;
  readonly given: object;
  readonly onClose: () => void;
  readonly onApprove: () => void;
}

function ApproveCall({ toolKey, given, onClose, onApprove }: ApproveCallProps) {
  return (
    <Dialog title={`Approve this call of ${toolKey}?`} onClose={onClose}>
      <p>You have set this tool to “ask”. It is called once, with exactly these arguments:</p>
      <pre class="box said-lines">{JSON.stringify(given, null, 2)}</pre>
      <div class="tools">
        <Button label="Cancel" onClick={onClose} />
        <Button label="Approve and call" class="main" onClick={onApprove} />
      </div>
    </Dialog>
  );
}

export interface RunningCall {
  readonly isRunning: boolean;
  readonly ms: number | null;
  readonly result: Readonly<Record<string, unknown>> | undefined;
  readonly trouble: ApiError | undefined;
  readonly start: (given: Record<string, unknown>, approve: boolean) => Promise<void>;
  readonly stop: () => void;
}

type Ended = Pick<RunningCall, 'ms' | 'result' | 'trouble'>;
const nothing: Ended = { ms: null, result: undefined, trouble: undefined };

function useCall(toolKey: string): RunningCall {
  const [ended, setEnded] = useState<Ended>(nothing);
  const [stop, setStop] = useState<AbortController>();
  const start = async (given: Record<string, unknown>, approve: boolean) => {
    const cancel = new AbortController();
    setStop(cancel);
    const began = performance.now();
    const took = () => performance.now() - began;
    try {
      const result = await run('tools.call', { toolKey, arguments: given, approve, shape: true }, cancel.signal);
      setEnded({ ms: took(), result, trouble: undefined });
    } catch (error) {
      setEnded(cancel.signal.aborted ? nothing : { ms: took(), result: undefined, trouble: asApiError(error) });
    } finally {
      setStop(undefined);
    }
  };
  return { ...ended, isRunning: stop !== undefined, start, stop: () => stop?.abort() };
}
