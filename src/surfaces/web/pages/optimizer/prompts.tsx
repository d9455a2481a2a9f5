/** Golden prompts of a tool by class: with each wording right or wrong, and why. */

import { useState } from 'preact/hooks';
import {
  type PromptWording,
  promptClasses,
  signOf,
  type ToolResults,
  triedWordings,
} from '../../../wording/wording.ts';
import { Button, Empty, FormField, Panel } from '../../parts/basic.tsx';
import { DialogButton, FormButtons } from '../../parts/dialog.tsx';
import { PageForm } from '../../parts/fields.tsx';
import { OutdatedNotice, useSeenVersion } from '../../parts/seen-version.tsx';
import { Said, visibleText } from '../../parts/texts.tsx';
import { useOrder, usePageState } from '../../state.ts';

type Prompt = ToolResults['prompts'][number];

interface PromptsProps {
  readonly server: string;
  readonly tool: string;
  readonly results: ToolResults;
}

export function PromptsPanel({ server, tool, results }: PromptsProps) {
  const { prompts } = results;
  const wordings = triedWordings(results).filter(({ id }) =>
    prompts.some(({ outcomes }) => outcomes.some(({ candidateId }) => candidateId === id)),
  );
  return (
    <Panel
      title="Golden prompts"
      tools={
        <>
          <GeneratePrompts server={server} tool={tool} />
          <EditPrompts server={server} tool={tool} prompts={prompts} />
        </>
      }
    >
      {prompts.length === 0 && (
        <Empty title="No golden prompts yet">
          Write requests that should lead to this tool, and some that should not.
        </Empty>
      )}
      {promptClasses.map((name) => (
        <PromptTable
          key={name}
          title={name}
          prompts={prompts.filter(({ category }) => category === name)}
          wordings={wordings}
        />
      ))}
    </Panel>
  );
}

interface PromptTableProps {
  readonly title: string;
  readonly prompts: readonly Prompt[];
  readonly wordings: readonly PromptWording[];
}

function PromptTable({ title, prompts, wordings }: PromptTableProps) {
  if (prompts.length === 0) return null;
  return (
    <>
      <h3 class="capital">
        {title} <small>{prompts.length} prompts</small>
      </h3>
      <div class="scroll">
        <table class="plain-table prompts" aria-label={`${title} prompts`}>
          <thead>
            <tr>
              <th scope="col">Prompt</th>
              {wordings.map(({ id, label }) => (
                <th key={id} scope="col">
                  {label}
                </th>
              ))}
              <th scope="col" class="extra">
                Half
              </th>
            </tr>
          </thead>
          <tbody>
            {prompts.map((prompt) => (
              <PromptRow key={prompt.id} prompt={prompt} wordings={wordings} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const signTones: Readonly<Record<string, string>> = { right: 'good', wrong: 'bad' };

function PromptRow({ prompt, wordings }: { readonly prompt: Prompt; readonly wordings: readonly PromptWording[] }) {
  const { outcomes, part, author, expectedBehavior } = prompt;
  return (
    <tr>
      <td>
        <details>
          <summary class="said">{visibleText(prompt.prompt)}</summary>
          {expectedBehavior.tool && (
            <p>
              Right is <Said text={expectedBehavior.tool} />.
            </p>
          )}
          <ul>
            {outcomes.map(({ candidateId, judge, right, chosen, why }) => (
              <li key={candidateId}>
                {wordings.find(({ id }) => id === candidateId)?.label}: {signOf(right).word} by {judge}, chose{' '}
                <Said text={chosen ?? 'no tool'} />. <Said text={why} />
              </li>
            ))}
            {outcomes.length === 0 && <li>Not judged yet.</li>}
          </ul>
        </details>
      </td>
      {wordings.map(({ id }) => {
        const outcome = outcomes.find(({ candidateId }) => candidateId === id);
        const { sign, word } = outcome ? signOf(outcome.right) : { sign: '–', word: 'not judged' };
        return (
          <td key={id} class={`sign ${signTones[word] ?? ''}`} title={outcome?.why}>
            <span aria-hidden="true">{sign}</span>
            <span class="unseen">{word}</span>
          </td>
        );
      })}
      <td class="extra">
        {part} <small>{author === 'hand' ? '' : `by ${author}`}</small>
      </td>
    </tr>
  );
}

/** Of each class, where nobody says how many. */
const usualCount = 5;

function GeneratePrompts({ server, tool }: { readonly server: string; readonly tool: string }) {
  const { give, isRunning } = useOrder();
  const { tell } = usePageState();
  const generate = async () => {
    const answer = await give('optimize.prompts', { server, tool, generate: usualCount });
    if (answer) tell(['Prompts are added.', ...answer.warnings].join(' '), 'done');
  };
  return (
    <Button
      label={isRunning ? 'Writing …' : `Generate ${usualCount} of each class`}
      disabled={isRunning}
      onClick={() => void generate()}
    />
  );
}

type EditPromptsProps = Omit<PromptsProps, 'results'> & Pick<ToolResults, 'prompts'>;

function EditPrompts(props: EditPromptsProps) {
  return (
    <DialogButton label="Edit …" title={`Golden prompts of ${props.tool}`}>
      {(close) => <PromptsForm {...props} onClose={close} />}
    </DialogButton>
  );
}

/** As a JSON list, the same as the file of `toolcrib optimize prompts --file`. */
function PromptsForm({ server, tool, prompts, onClose }: EditPromptsProps & { readonly onClose: () => void }) {
  const version = useSeenVersion(
    prompts.map(({ id, category, prompt, expectedBehavior }) => ({ id, category, prompt, expectedBehavior })),
  );
  const [text, setText] = useState(() => JSON.stringify(version.seen, null, 2));
  const { give, isRunning } = useOrder();
  const { tell } = usePageState();
  const save = async () => {
    let list: unknown;
    try {
      list = JSON.parse(text);
    } catch {
      tell('This is not JSON: a comma or a quote may be missing.', 'failed');
      return;
    }
    // The operation checks it.
    const answer = await give('optimize.prompts', {
      server,
      tool,
      prompts: list as never,
      seen: version.seen as never,
    });
    if (!answer) return;
    tell([`${answer.prompts.length} prompts are saved.`, ...answer.warnings].join(' '), 'done');
    onClose();
  };
  return (
    <PageForm onSend={() => void save()}>
      <FormField
        label="Prompts"
        hint="A JSON list of { category, prompt, expectedBehavior }. It replaces the prompts of the tool; those that stay keep their half."
      >
        <textarea class="fixed" rows={18} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </FormField>
      {!isRunning && <OutdatedNotice what="The list of prompts" version={version} />}
      <FormButtons label="Save prompts" isDisabled={isRunning || version.isOutdated} onCancel={onClose} />
    </PageForm>
  );
}
