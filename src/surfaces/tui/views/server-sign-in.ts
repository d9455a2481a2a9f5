/** Signing in to a remote server: the address to open, and a line for the address at which the browser ends. */

import { type ReactNode, useEffect, useState } from 'react';
import type { StartedSignIn } from '../../../admin/admin.ts';
import { warnOfDetour } from '../../wording/wording.ts';
import { editText, type TypedText } from '../keys.ts';
import { gap, inLine, paragraph, stack } from '../parts/layout.ts';
import { say } from '../parts/text.ts';
import { textAtCursor } from '../parts/text-field.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useOrders, useTui } from '../state.ts';

/** How long one request waits for the end; then it asks again. */
const waitMs = 25_000;

const words = {
  needed: 'This server needs a sign-in: press a.',
  'more-rights': 'A tool of this server needs more rights: press a to sign in again.',
  'signed-in': 'You are signed in to this server.',
} as const;

interface SignInPart {
  /** Nothing for a server that does not know of signing in. */
  readonly body: ReactNode;
  readonly commands: readonly KeyCommand[];
  readonly onKey: Screen['onKey'];
}

export function useServerSignIn(name: string, isThere: boolean): SignInPart {
  const { ask } = useTui();
  const { give } = useOrders();
  const rows = useAnswer('servers.signIns', isThere ? {} : null, ['servers']).data;
  const [started, setStarted] = useState<StartedSignIn>();
  const waiting = useWaitingSignIn(started, () => setStarted(undefined));
  const state = rows?.find((row) => row.name === name)?.state ?? 'none';
  if (started !== undefined) return waiting;
  if (state === 'none') return { body: null, commands: [], onKey: undefined };
  const begin = async () => setStarted(await give('servers.signIn', { name }));
  const signOut = () =>
    ask({
      text: `Forget the sign-in to ${name}?`,
      yes: () => void give('servers.signOut', { name }, 'Signed out.'),
    });
  const isIn = state === 'signed-in';
  return {
    body: stack(say(words[state], isIn ? 'good' : 'notice'), gap('gap')),
    commands: [
      { key: 'a', label: isIn ? 'Sign in again' : 'Sign in', run: () => void begin() },
      ...(isIn ? [{ key: 'e', label: 'Sign out', run: signOut }] : []),
    ],
    onKey: undefined,
  };
}

function useWaitingSignIn(started: StartedSignIn | undefined, onEnd: () => void): SignInPart {
  const { run, tell, columns } = useTui();
  const { give } = useOrders();
  const [typed, setTyped] = useState<TypedText>({ text: '', at: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: one wait for each sign-in that was begun
  useEffect(() => {
    setTyped({ text: '', at: 0 });
    if (started === undefined) return;
    const { name, flow } = started;
    const stop = new AbortController();
    const wait = async () => {
      for (;;) {
        const { state, error, hint } = await run('servers.signInEnd', { name, flow, waitMs }, stop.signal);
        if (state === 'waiting') continue;
        return error === null ? tell(`Signed in to ${name}.`) : tell([error, hint].filter(Boolean).join(' '), 'failed');
      }
    };
    const failed = (error: unknown) => tell(troubleInWords(error), 'failed');
    wait()
      .catch((error: unknown) => stop.signal.aborted || failed(error))
      .finally(() => stop.signal.aborted || onEnd());
    return () => stop.abort();
  }, [started]);
  if (started === undefined) return { body: null, commands: [], onKey: undefined };
  const { name, address } = started;
  const warning = warnOfDetour(started);
  const onKey = (key: string) => {
    if (editText(typed, key) === undefined) return false;
    setTyped((last) => editText(last, key) ?? last);
    return true;
  };
  const finish = () => void give('servers.finishSignIn', { name, address: typed.text });
  return {
    body: stack(
      warning === undefined ? null : paragraph(warning.replace('\n', ' '), undefined, 'bad'),
      say('Waiting for the sign-in. Open this address in a browser:', 'notice'),
      gap('before'),
      paragraph(address),
      gap('after'),
      say('If the last page does not load there, paste its address here and press Enter.'),
      inLine(say('Address:', 'faint'), say(textAtCursor(typed, columns - 10))),
      gap('end'),
    ),
    commands: [
      { key: 'enter', label: 'Finish', run: finish },
      { key: 'esc', label: 'Stop waiting', run: onEnd },
    ],
    onKey,
  };
}
