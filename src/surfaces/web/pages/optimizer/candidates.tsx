/** Candidates of a tool: each text with its figures and what keeps it from a promotion; propose, generate, promote, remove. */

import { useState } from 'preact/hooks';
import { type CandidateResults, figuresFor, type ToolResults, titleWithLength } from '../../../wording/wording.ts';
import { Badge, Button, Empty, FormField, Panel } from '../../parts/basic.tsx';
import { ConfirmButton, DangerButtons, Dialog, DialogButton } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { Said } from '../../parts/texts.tsx';
import { useOrder, usePageState } from '../../state.ts';
import { ShareBars } from './share-bars.tsx';

type Candidate = ToolResults['candidates'][number];

interface OfToolProps {
  readonly server: string;
  readonly tool: string;
}

interface CandidatesProps extends OfToolProps {
  readonly results: ToolResults;
  readonly own: string;
}

export function CandidatesPanel({ server, tool, results, own }: CandidatesProps) {
  const { candidates } = results;
  return (
    <Panel
      title="Candidates"
      tools={
        <>
          <GenerateCandidates server={server} tool={tool} />
          <ProposeCandidate server={server} tool={tool} />
        </>
      }
    >
      {candidates.length === 0 && <Empty title="No candidates yet">Propose a description, or generate some.</Empty>}
      <div class="lined">
        {candidates.map((candidate, at) => (
          <CandidateCard
            key={candidate.id}
            {...{ server, tool, candidate, own }}
            number={at + 1}
            results={results.results}
          />
        ))}
      </div>
    </Panel>
  );
}

interface CandidateProps extends OfToolProps {
  readonly candidate: Candidate;
  readonly number: number;
  readonly own: string;
  readonly results: readonly CandidateResults[];
}

function CandidateCard({ server, tool, candidate, number, own, results }: CandidateProps) {
  const { id, description, example, charCount, author, promotion } = candidate;
  const { give, isRunning } = useOrder();
  const figures = figuresFor(id, results);
  const remove = () => give('optimize.candidates', { server, tool, remove: id }, 'The candidate is removed.');
  return (
    <article aria-label={`Candidate ${number}`}>
      <div class="hit-head spread">
        <strong>
          Candidate {number}{' '}
          <small>
            {charCount} characters, by {author}
          </small>{' '}
          {promotion && (
            <Badge tone={promotion.state === 'active' ? 'good' : 'warn'}>{placeWords[promotion.state]}</Badge>
          )}
        </strong>
        {!promotion && (
          <span class="tools">
            <PromoteCandidate server={server} tool={tool} candidate={candidate} />
            <ConfirmButton
              label="Remove"
              question="Remove this candidate? Its runs are no longer shown."
              isDisabled={isRunning}
              onConfirm={() => void remove()}
            />
          </span>
        )}
      </div>
      <Said as="p" text={description} />
      {example && (
        <p>
          <small>Example:</small> <Said text={example} />
        </p>
      )}
      {figures.length === 0 && <p>Not measured yet.</p>}
      <div class="grid wide">
        {figures.map((one) => (
          <CandidateFigures key={one.now.judge} figures={one} />
        ))}
      </div>
      <CompareWithOwn own={own} description={description} title={`Candidate ${number}`} />
    </article>
  );
}

interface CompareWithOwnProps {
  readonly own: string;
  readonly description: string;
  readonly title: string;
}

/** Many candidates are listed: only those that somebody opens are compared. */
function CompareWithOwn({ own, description, title }: CompareWithOwnProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Compare with the server’s own description</summary>
      {isOpen && (
        <TextDiff
          label={`The server’s own description and ${title.toLowerCase()}`}
          before={own}
          after={description}
          titles={[titleWithLength('The server’s own', own), titleWithLength(title, description)]}
        />
      )}
    </details>
  );
}

const placeWords = {
  active: 'shown to agents',
  suspended: 'suspended: its tool has changed',
  absent: 'its tool is missing',
};

function CandidateFigures({ figures }: { readonly figures: ReturnType<typeof figuresFor>[number] }) {
  const { now } = figures;
  const deciding = 'deciding' in now ? now.deciding : undefined;
  return (
    <div>
      <h3>
        By {now.judge}{' '}
        <small>
          before → after, {now.runs} runs{now.voids > 0 && `, ${now.voids} void`}
        </small>
      </h3>
      <ShareBars figures={figures} />
      {deciding && deciding.refusals.length === 0 && <p>It passes the gates (p = {deciding.pValue.toFixed(3)}).</p>}
      {deciding && deciding.refusals.length > 0 && (
        <>
          <p>It does not pass the gates:</p>
          <ul>
            {deciding.refusals.map((reason) => (
              <Said as="li" key={reason} text={reason} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface PromoteProps extends OfToolProps {
  readonly candidate: Candidate;
}

/** Asks first; where the gates refuse, says why, and how to go past them. */
function PromoteCandidate({ server, tool, candidate: { id } }: PromoteProps) {
  const [reasons, setReasons] = useState<readonly string[] | undefined>();
  const [why, setWhy] = useState('');
  const { give, isRunning } = useOrder();
  const { tell } = usePageState();
  const promote = async (force?: true) => {
    const answer = await give('optimize.promote', { server, tool, candidateId: id, ...(force && { force, why }) });
    if (!answer) return;
    if (answer.promoted) tell('Agents now read the new description.', 'done');
    setReasons(answer.promoted ? undefined : 'reasons' in answer ? (answer.reasons ?? []) : []);
  };
  return (
    <>
      <Button label="Promote" class="main" disabled={isRunning} onClick={() => void promote()} />
      {reasons && (
        <Dialog title="It does not pass the gates" onClose={() => setReasons(undefined)}>
          <ul>
            {reasons.map((reason) => (
              <Said as="li" key={reason} text={reason} />
            ))}
          </ul>
          <TextField
            label="Reason to promote it anyway"
            hint="It is recorded, with your name."
            value={why}
            maxLength={1_000}
            onValue={setWhy}
          />
          <DangerButtons
            label="Promote anyway"
            isDisabled={isRunning || why.trim() === ''}
            onCancel={() => setReasons(undefined)}
            onConfirm={() => void promote(true)}
          />
        </Dialog>
      )}
    </>
  );
}

/** Written at once where nobody says how many. */
const usualCount = 4;

function GenerateCandidates({ server, tool }: OfToolProps) {
  const { give, isRunning } = useOrder();
  const { tell } = usePageState();
  const generate = async () => {
    const answer = await give('optimize.candidates', { server, tool, generate: usualCount });
    if (answer?.generated) tell(`Written by ${answer.generated.author}. ${answer.generated.notes.join(' ')}`, 'done');
  };
  return (
    <button type="button" disabled={isRunning} onClick={() => void generate()}>
      {isRunning ? 'Writing …' : `Generate ${usualCount}`}
    </button>
  );
}

/** In characters: what a candidate may have, unless the config says otherwise. */
const usualLength = 280;

function ProposeCandidate({ server, tool }: OfToolProps) {
  const [description, setDescription] = useState('');
  const [example, setExample] = useState('');
  const { give, isRunning } = useOrder();
  const propose = async (close: () => void) => {
    const text = { description, ...(example.trim() !== '' && { example }) };
    if (!(await give('optimize.candidates', { server, tool, ...text }, 'The candidate is saved.'))) return;
    close();
    setDescription('');
  };
  return (
    <DialogButton label="Propose …" title={`Propose a description of ${tool}`}>
      {(close) => (
        <>
          <FormField
            label="Description"
            hint={`${[...description].length} of about ${usualLength} characters. Say what it does, when to use it, and when to use another tool.`}
          >
            <textarea
              rows={4}
              value={description}
              onInput={({ currentTarget }) => setDescription(currentTarget.value)}
            />
          </FormField>
          <TextField
            label="Example"
            hint="Optional: an example call, shown in details only."
            value={example}
            onValue={setExample}
          />
          <Button
            label="Save candidate"
            class="main"
            disabled={isRunning || description.trim() === ''}
            onClick={() => void propose(close)}
          />
        </>
      )}
    </DialogButton>
  );
}
