/** Calls that wait for approval: who wants to call what, with which arguments, and how long they still wait. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { WaitingCall } from '../../../../admin/admin.ts';
import { Empty, WhenFetched } from '../../parts/basic.tsx';
import { formatCount, Said, SaidLines } from '../../parts/texts.tsx';
import { useNow, useOperation, useOrder } from '../../state.ts';

/** The answers, with the keys that give them. */
const answers = [
  { key: 'a', answer: 'once', label: 'Approve once', style: 'main', done: 'is approved once' },
  { key: 's', answer: 'session', label: 'Approve for the session', style: '', done: 'is approved for the session' },
  { key: 'w', answer: 'always', label: 'Approve always', style: '', done: 'is approved always' },
  { key: 'r', answer: 'refuse', label: 'Deny', style: 'danger', done: 'is denied' },
] as const;
const noCalls: readonly WaitingCall[] = [];
type CallAnswer = (typeof answers)[number];

/** `first`: the call in the address. */
export function WaitingCalls({ first }: { readonly first: string | undefined }) {
  const list = useOperation('approvals.list', {}, ['approvals']);
  const approvals = list.data ?? noCalls;
  const { isRunning, give } = useOrder();
  const now = useNow(1_000);
  const reply = (call: WaitingCall, { answer, done }: CallAnswer) =>
    void give('approvals.answer', { id: call.id, answer }, `${call.toolKey} ${done}.`);
  const [chosenId, choose] = useCallKeys(approvals, first, reply);
  if (list.data === undefined || list.error) return <WhenFetched answer={list}>{() => null}</WhenFetched>;
  if (approvals.length === 0)
    return (
      <Empty title="No call waits for approval">
        Calls of tools with the permission “ask” appear here as soon as they are made.
      </Empty>
    );
  return (
    <>
      <p class="keys">
        <kbd>j</kbd> <kbd>k</kbd> choose
        {answers.map(({ key, label }) => (
          <span key={key}>
            <kbd>{key}</kbd> {label.toLowerCase()}
          </span>
        ))}
      </p>
      <ul class="calls">
        {approvals.map((call) => (
          <CallToAnswer
            key={call.id}
            call={call}
            now={now}
            isChosen={call.id === chosenId}
            isRunning={isRunning}
            onChoose={() => choose(call.id)}
            onAnswer={(answer) => reply(call, answer)}
          />
        ))}
      </ul>
    </>
  );
}

/**
 * The call that was chosen, and how to choose one. Keys count for the whole page, but not while somebody types or reads a dialog.
 * They answer the chosen call and never another one in its place: a key that comes too late must answer nothing.
 */
function useCallKeys(
  calls: readonly WaitingCall[],
  first: string | undefined,
  onAnswer: (call: WaitingCall, answer: CallAnswer) => void,
): [string | undefined, (id: string | undefined) => void] {
  const [chosenId, setChosenId] = useState(first);
  // The current choice, also for a key that comes before the next draw.
  const current = useRef(first);
  const choose = (id: string | undefined) => {
    current.current = id;
    setChosenId(id);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if ((event.target as Element).closest?.('input, select, textarea, dialog')) return;
      const at = calls.findIndex(({ id }) => id === current.current);
      const answer = answers.find(({ key }) => key === event.key);
      const call = calls[at];
      if (event.key === 'j') choose(calls[Math.min(calls.length - 1, at + 1)]?.id);
      else if (event.key === 'k') choose(calls[Math.max(0, at - 1)]?.id);
      else if (answer && call) {
        choose(undefined);
        onAnswer(call, answer);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  return [chosenId, choose];
}

interface CallToAnswerProps {
  readonly call: WaitingCall;
  readonly now: number;
  readonly isChosen: boolean;
  readonly isRunning: boolean;
  readonly onChoose: () => void;
  readonly onAnswer: (answer: CallAnswer) => void;
}

function CallToAnswer({ call, now, isChosen, isRunning, onChoose, onAnswer }: CallToAnswerProps) {
  const seconds = Math.max(0, Math.round((Date.parse(call.expiresAt) - now) / 1_000));
  return (
    <li class={isChosen ? 'chosen' : ''} aria-current={isChosen ? 'true' : undefined} onFocusIn={onChoose}>
      <header>
        <strong>
          <Said text={call.toolKey} />
        </strong>
        <span class={seconds < 30 ? 'left late' : 'left'} role="timer">
          {clockOf(seconds)} left
        </span>
      </header>
      <p>
        Requested by <strong>{call.principal}</strong>
        {call.project !== null && ` in project ${call.project}`}
        {call.client !== null && (
          <>
            ; its client says it is <Said text={call.client} />
          </>
        )}
        .{call.asked === 'agent' && ' The person at the agent is asked as well.'}
      </p>
      <SaidLines label={`Arguments of ${call.toolKey}`} text={call.arguments} />
      {call.isCut && <CutNote characters={call.characters} />}
      {call.beside && (
        <>
          <p>Sent to the server beside the arguments:</p>
          <SaidLines label="Sent beside the arguments" text={call.beside.json} />
          {call.beside.isCut && <CutNote characters={call.beside.characters} />}
        </>
      )}
      <div class="tools">
        {answers.map((answer) => (
          <button
            key={answer.answer}
            type="button"
            class={answer.style}
            disabled={isRunning}
            onClick={() => onAnswer(answer)}
          >
            {answer.label}
          </button>
        ))}
        {!call.hasSession && (
          <small>The agent has no session: “for the session” means every agent with this token, for an hour.</small>
        )}
      </div>
    </li>
  );
}

function CutNote({ characters }: { readonly characters: number }) {
  return <p class="notice bad">Only the beginning is shown, of {formatCount(characters)} characters.</p>;
}

function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
