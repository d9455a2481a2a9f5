/** The answer of a call that was tried: text, pictures, pages of a large result, and what to do after a failure. */

import { useState } from 'preact/hooks';
import { Badge, Button, Empty, Failed, Loading, Panel, WhenFetched } from '../../parts/basic.tsx';
import { PageForm } from '../../parts/fields.tsx';
import { formatBytes, formatMs, SaidLines, ToolLink, visibleText } from '../../parts/texts.tsx';
import { useOperation } from '../../state.ts';
import { type AnswerPart, type CallAnswer, readAnswer, suggestionsIn } from './read-answer.ts';
import type { RunningCall } from './try-tool.tsx';

export function CallAnswerView({ call }: { readonly call: RunningCall }) {
  const { isRunning, ms, result, trouble } = call;
  if (isRunning)
    return (
      <Panel title="Answer">
        <Loading />
      </Panel>
    );
  if (trouble)
    return (
      <Panel title="Answer" tools={ms !== null && <span class="soft">{formatMs(ms)}</span>}>
        <Failed message={visibleText(trouble.message)} hint={trouble.hint && visibleText(trouble.hint)} />
        <OtherTools keys={suggestionsIn(trouble.data.fallbackSuggestions)} />
      </Panel>
    );
  return result ? <AnswerPanel answer={readAnswer(result)} ms={ms} /> : null;
}

function AnswerPanel({ answer, ms }: { readonly answer: CallAnswer; readonly ms: number | null }) {
  const { isError, parts, structured, steps, suggestions, storedId, bytes } = answer;
  const facts = (
    <>
      <Badge tone={isError ? 'bad' : 'good'}>{isError ? 'failed' : 'ok'}</Badge>
      {bytes !== null && <span class="soft">{formatBytes(bytes)}</span>}
      {ms !== null && <span class="soft">{formatMs(ms)}</span>}
    </>
  );
  return (
    <Panel title="Answer" tools={facts}>
      {parts.length === 0 && structured === null && <Empty title="The answer is empty" />}
      {storedId === null ? (
        parts.map((part, at) => <AnswerPartView key={`${at + 1}`} part={part} />)
      ) : (
        <>
          {parts
            .filter(({ kind }) => kind === 'image')
            .map((part, at) => (
              <AnswerPartView key={`${at + 1}`} part={part} />
            ))}
          <StoredResultPages id={storedId} />
        </>
      )}
      {structured !== null && (
        <>
          <h3>Structured content</h3>
          <SaidLines text={structured} label="Structured content" />
        </>
      )}
      {steps.length > 0 && (
        <>
          <h3>What to do</h3>
          <ol>
            {steps.map((step) => (
              <li key={step}>{visibleText(step)}</li>
            ))}
          </ol>
        </>
      )}
      <OtherTools keys={suggestions} />
    </Panel>
  );
}

function AnswerPartView({ part }: { readonly part: AnswerPart }) {
  if (part.kind === 'image') return <img class="answer-image" src={part.source} alt="Returned by the tool" />;
  return <SaidLines text={part.text} label="Text of the answer" />;
}

function OtherTools({ keys }: { readonly keys: readonly string[] }) {
  if (keys.length === 0) return null;
  return (
    <p class="tools">
      Other tools to try:
      {keys.map((key) => (
        <ToolLink key={key} toolKey={key} />
      ))}
    </p>
  );
}

/** A large result, one page at a time; or the places in it that hold a text. */
function StoredResultPages({ id }: { readonly id: string }) {
  const [{ part, page }, setPlace] = useState({ part: 1, page: 1 });
  const [find, setFind] = useState('');
  const [typed, setTyped] = useState('');
  const answer = useOperation('results.read', find === '' ? { id, part, page } : { id, find });
  return (
    <>
      <p class="soft">The result is large: it is stored for a while, and shown page by page.</p>
      <PageForm class="tools" onSend={() => setFind(typed)}>
        <input
          type="search"
          placeholder="Find in the result"
          aria-label="Find in the result"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit">Find</button>
        {find !== '' && (
          <Button
            label="Back to the pages"
            onClick={() => {
              setFind('');
              setTyped('');
            }}
          />
        )}
      </PageForm>
      <WhenFetched answer={answer}>
        {({ text, pages }) => (
          <>
            {pages && (
              <div class="tools">
                {pages.partCount > 1 && (
                  <Stepper
                    what="part"
                    at={part}
                    count={pages.partCount}
                    onChange={(to) => setPlace({ part: to, page: 1 })}
                  />
                )}
                <Stepper what="page" at={page} count={pages.count} onChange={(to) => setPlace({ part, page: to })} />
              </div>
            )}
            <SaidLines text={pages ? withoutHead(text) : text} label="Part of the result" />
          </>
        )}
      </WhenFetched>
    </>
  );
}

interface StepperProps {
  readonly what: string;
  readonly at: number;
  readonly count: number;
  readonly onChange: (at: number) => void;
}

function Stepper({ what, at, count, onChange }: StepperProps) {
  return (
    <>
      <Button label={`Previous ${what}`} disabled={at <= 1} onClick={() => onChange(at - 1)} />
      <span>{`${what.slice(0, 1).toUpperCase()}${what.slice(1)} ${at} of ${count}`}</span>
      <Button label={`Next ${what}`} disabled={at >= count} onClick={() => onChange(at + 1)} />
    </>
  );
}

/** The first line tells agents where to read on; people have buttons. */
function withoutHead(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}
