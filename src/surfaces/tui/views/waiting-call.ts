/** One call that waits for approval: who asks, the exact arguments, and the answer. */

import { useEffect, useState } from 'react';
import type { WaitingCall } from '../../../admin/admin.ts';
import { type CallReply, callAnswers, callerInWords, cutInWords, sessionInWords } from '../../wording/wording.ts';
import { gap, paragraph, stack } from '../parts/layout.ts';
import { useScroll } from '../parts/scroll.ts';
import { say } from '../parts/text.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { useAnswer, useOrders, useTui } from '../state.ts';

export function useWaitingCallView({ id }: { readonly id: string }): Screen {
  const { rows } = useTui();
  const calls = useAnswer('approvals.list', {}, ['approvals']).data;
  const call = calls?.find((one) => one.id === id);
  const now = useNow();
  const scroll = useScroll({
    ...{ name: `call ${id}`, rows },
    content: call ? callInFull(call, now) : say(calls ? 'This call no longer waits.' : 'Loading…', 'faint'),
  });
  return {
    title: `Review: call of ${call?.toolKey ?? 'a tool'}`,
    commands: [...useAnswers(call, scroll.isWholeSeen), ...scroll.commands],
    body: scroll.body,
  };
}

/** All of them fit on a line of 80 columns. */
const keys = {
  once: ['a', 'Approve once'],
  session: ['e', 'For the session'],
  always: ['w', 'Always'],
  refuse: ['x', 'Deny'],
} as const;

/** They answer this call and never another one in its place: a key that comes too late answers nothing. */
function useAnswers(call: WaitingCall | undefined, isWholeSeen: boolean): readonly KeyCommand[] {
  const { ask, back } = useTui();
  const { give, isRunning } = useOrders();
  if (call === undefined || isRunning) return [];
  const { id, toolKey, principal } = call;
  const reply = async ({ answer, done }: CallReply) => {
    if (await give('approvals.answer', { id, answer }, `${toolKey} ${done}.`)) back();
  };
  const isWhole = isWholeSeen && !call.isCut && !call.beside?.isCut;
  const run = (answer: CallReply) => {
    const yes = () => void reply(answer);
    if (answer.answer === 'always')
      return ask({ text: `Let ${principal} call ${toolKey} always, with any arguments?`, yes });
    if (answer.answer === 'refuse' || isWhole) return yes();
    ask({ text: 'You have not seen all of the call. Approve it all the same?', yes });
  };
  return callAnswers.map((answer) => {
    const [key, label] = keys[answer.answer];
    return { key, label, run: () => run(answer) };
  });
}

function callInFull(call: WaitingCall, now: number) {
  const seconds = Math.max(0, Math.round((Date.parse(call.expiresAt) - now) / 1_000));
  const session = sessionInWords(call);
  return stack(
    paragraph(`Requested by ${call.principal}${callerInWords(call)}`),
    say(`${seconds} s left`, seconds < 30 ? 'bad' : 'faint'),
    session === '' ? null : paragraph(session, undefined, 'faint'),
    gap('before arguments'),
    say('Arguments:', 'strong'),
    ...jsonPart(call.arguments, call.isCut, call.characters),
    ...(call.beside
      ? [
          gap('before rest'),
          say('Sent to the server beside the arguments:', 'strong'),
          ...jsonPart(call.beside.json, call.beside.isCut, call.beside.characters),
        ]
      : []),
  );
}

function jsonPart(json: string, isCut: boolean, characters: number) {
  return [...(isCut ? [paragraph(cutInWords(characters), undefined, 'bad')] : []), paragraph(json)];
}

/** Time goes by without any event. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
