/** Calls that wait for approval: who wants to call what, with which arguments, and how long they still wait. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WaitingCall } from '../../../../admin/admin.ts';
import { type CallReply, callAnswers, callerInWords, cutInWords, sessionInWords } from '../../../wording/wording.ts';
import { Button, Empty, WhenFetched } from '../../parts/basic.tsx';
import { Said, SaidLines } from '../../parts/texts.tsx';
import { useNow, useOperation, useOrder } from '../../state.ts';

/** The keys that give the answers. One that lasts needs its button: a key is hit by mistake. */
const keys = { once: 'a', session: 's', always: null, refuse: 'r' } as const;
const styles = { once: 'main', session: '', always: '', refuse: 'danger' } as const;

/** `first`: the call in the address. */
export function WaitingCalls({ first }: { readonly first: string | undefined }) {
  const list = useOperation('approvals.list', {}, ['approvals']);
  const approvals = list.data ?? [];
  const { isRunning, give } = useOrder();
  const now = useNow(1_000);
  const reply = (call: WaitingCall, { answer, done }: CallReply) =>
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
      <p class="tools soft keys">
        <kbd>j</kbd> <kbd>k</kbd> choose
        {callAnswers.map(
          ({ answer, label }) =>
            keys[answer] !== null && (
              <span key={answer}>
                <kbd>{keys[answer]}</kbd> {label.toLowerCase()}
              </span>
            ),
        )}
      </p>
      <ul class="list calls">
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
  onAnswer: (call: WaitingCall, answer: CallReply) => void,
): [string | undefined, (id: string | undefined) => void] {
  const [chosenId, setChosenId] = useState(first);
  // The current choice, also for a key that comes before the next draw.
  const current = useRef(first);
  const choose = (id: string | undefined) => {
    current.current = id;
    setChosenId(id);
  };
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if ((event.target as Element).closest?.('input, select, textarea, dialog')) return;
      const at = calls.findIndex(({ id }) => id === current.current);
      const answer = callAnswers.find((one) => keys[one.answer] === event.key);
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
  readonly onAnswer: (answer: CallReply) => void;
}

function CallToAnswer({ call, now, isChosen, isRunning, onChoose, onAnswer }: CallToAnswerProps) {
  const seconds = Math.max(0, Math.round((Date.parse(call.expiresAt) - now) / 1_000));
  return (
    <li class={isChosen ? 'box chosen' : 'box'} aria-current={isChosen ? 'true' : undefined} onFocusIn={onChoose}>
      <header class="tools spread">
        <Said as="strong" text={call.toolKey} />
        <span class={seconds < 30 ? 'left bad' : 'left soft'} role="timer">
          {clockOf(seconds)} left
        </span>
      </header>
      <p>
        Requested by <strong>{call.principal}</strong>
        <Said text={callerInWords(call)} />
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
        {callAnswers.map((answer) => (
          <Button
            key={answer.answer}
            label={answer.label}
            class={styles[answer.answer]}
            disabled={isRunning}
            onClick={() => onAnswer(answer)}
          />
        ))}
        <small>{sessionInWords(call)}</small>
      </div>
    </li>
  );
}

function CutNote({ characters }: { readonly characters: number }) {
  return <p class="notice bad">{cutInWords(characters)}</p>;
}

function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
