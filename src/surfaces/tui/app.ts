/** The whole screen: where we are, what is asked and told, and the size of the terminal. */

import { useApp, useWindowSize } from 'ink';
import { createElement as h, type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { Admin } from '../../admin/admin.ts';
import type { LiveStore } from '../live/live.ts';
import { Frame, frameRows, type Message } from './frame.ts';
import { JobNews } from './job-news.ts';
import { KeyContext, useKeyQueue } from './key-queue.ts';
import { type Confirmation, TuiContext, type TuiState } from './state.ts';
import { addressKey, type ViewAddress } from './views.ts';

/** How long a message stays. */
const messageMs = 6_000;

interface AppProps {
  readonly live: LiveStore;
  readonly run: Admin['run'];
}

export function TuiApp({ live, run }: AppProps): ReactElement {
  const { exit } = useApp();
  const { columns, rows } = useWindowSize();
  const [path, setPath] = useState<readonly ViewAddress[]>([{ view: 'servers' }]);
  const [question, setQuestion] = useState<Confirmation>();
  const [message, tell] = useMessage();
  const memory = useRef(new Map<string, unknown>()).current;
  const address = path.at(-1) ?? { view: 'servers' };
  const state = useMemo<TuiState>(
    () => ({
      ...{ live, run, memory, tell, columns, rows: Math.max(1, rows - frameRows) },
      go: (to) => setPath((last) => [...last.filter((other) => addressKey(other) !== addressKey(to)), to]),
      goInstead: (to) => setPath((last) => [...last.slice(0, -1), to]),
      back: () => setPath((last) => (last.length > 1 ? last.slice(0, -1) : last)),
      quit: () => exit(),
      ask: setQuestion,
    }),
    [live, run, memory, tell, columns, rows, exit],
  );
  const answer = (key: string) => {
    if (question === undefined) return false;
    setQuestion(undefined);
    if (key === 'y') question.yes();
    return true;
  };
  const asked: Message | undefined = question && {
    ...{ text: question.text, keys: 'y = yes, any other key = no', tone: 'notice' },
  };
  const frame = h(Frame, { address, message, question: asked, answer });
  const keys = useKeyQueue();
  return h(TuiContext.Provider, { value: state }, h(KeyContext.Provider, { value: keys }, frame), h(JobNews));
}

function useMessage(): [message: Message | undefined, tell: TuiState['tell']] {
  const [message, setMessage] = useState<Message>();
  useEffect(() => {
    if (message === undefined) return;
    const timer = setTimeout(() => setMessage(undefined), messageMs);
    return () => clearTimeout(timer);
  }, [message]);
  const tell = useRef<TuiState['tell']>((text, kind = 'done') =>
    setMessage({ text: `${kind === 'done' ? '✓' : '✗'} ${text}`, tone: kind === 'done' ? 'good' : 'bad' }),
  ).current;
  return [message, tell];
}
