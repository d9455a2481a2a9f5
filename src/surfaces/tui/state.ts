/** The state that every view has at hand: the live state, answers that stay fresh, orders, where we are, and what was chosen before. */

import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { Admin, InputOf, OperationName, OutputOf } from '../../admin/admin.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import {
  FreshAnswer,
  type FreshState,
  type FreshTopic,
  type LiveState,
  type LiveStore,
  noAnswer,
} from '../live/live.ts';
import type { ViewAddress } from './views.ts';

export interface Confirmation {
  readonly text: string;
  readonly yes: () => void;
}

export interface TuiState {
  readonly live: LiveStore;
  readonly run: Admin['run'];
  readonly go: (address: ViewAddress) => void;
  /** Goes on to another view, and back from there to the one before this. */
  readonly goInstead: (address: ViewAddress) => void;
  readonly back: () => void;
  readonly quit: () => void;
  /** Shows a short message for a while. */
  readonly tell: (text: string, kind?: 'done' | 'failed') => void;
  /** Asks before something that cannot be taken back. */
  readonly ask: (question: Confirmation) => void;
  readonly columns: number;
  /** Lines that a view has for itself. */
  readonly rows: number;
  /** By name: choices that outlive the view in which they were made. */
  readonly memory: Map<string, unknown>;
}

export const TuiContext = createContext<TuiState | undefined>(undefined);

export function useTui(): TuiState {
  const state = useContext(TuiContext);
  if (!state) throw new Error('There is no terminal around this.');
  return state;
}

/** A part of the live state; drawn again when that part is another one. */
export function useLivePart<T>(select: (state: LiveState) => T): T {
  const { live } = useTui();
  return useSyncExternalStore(live.listen, () => select(live.current()));
}

/** The answer of an operation, asked again when its input or one of the topics changes. `null` as input asks nothing. */
export function useAnswer<N extends OperationName>(
  name: N,
  input: InputOf<N> | null,
  topics: readonly FreshTopic[] = [],
): FreshState<OutputOf<N>> {
  const { live, run, memory } = useTui();
  const [answer, setAnswer] = useState<{ readonly key: string; readonly state: FreshState<OutputOf<N>> }>();
  const key = input === null ? null : JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the topics of a question are always the same
  useEffect(() => {
    if (key === null) return;
    const ask = (signal: AbortSignal) => run(name, JSON.parse(key) as InputOf<N>, signal);
    const onState = (state: FreshState<OutputOf<N>>) => {
      rememberAnswer(memory, `${name} ${key}`, state);
      setAnswer({ key, state });
    };
    const asked = new FreshAnswer<N>({ live, ask, topics, onState });
    return () => asked.close();
  }, [live, run, memory, name, key]);
  // The answer to another question is never shown for this one, not even until its effects have run.
  return answer !== undefined && answer.key === key ? answer.state : knownAnswer(memory, `${name} ${key}`);
}

/** Answers that are remembered, so that a view shows them at once when somebody comes back to it. */
const mostAnswers = 20;

function knownAnswer<T>(memory: TuiState['memory'], question: string): FreshState<T> {
  return (memory.get(`answer ${question}`) ?? noAnswer) as FreshState<T>; // only ever what the next function put there
}

function rememberAnswer(memory: TuiState['memory'], question: string, state: FreshState<unknown>): void {
  memory.delete(`answer ${question}`);
  memory.set(`answer ${question}`, state);
  const all = [...memory.keys()].filter((name) => name.startsWith('answer '));
  for (const oldest of all.slice(0, -mostAnswers)) memory.delete(oldest);
}

interface Orders {
  readonly isRunning: boolean;
  /** Runs it and tells of its outcome; undefined where it failed. */
  readonly give: <N extends OperationName>(
    name: N,
    input: InputOf<N>,
    done?: string,
  ) => Promise<OutputOf<N> | undefined>;
}

/** An order to the gateway, with a message of what came of it. */
export function useOrders(): Orders {
  const { run, tell } = useTui();
  const [running, setRunning] = useState(0);
  async function give<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    done?: string,
  ): Promise<OutputOf<N> | undefined> {
    setRunning((count) => count + 1);
    try {
      const answer = await run(name, input);
      if (done !== undefined) tell(done, 'done');
      return answer;
    } catch (error) {
      tell(troubleInWords(error), 'failed');
      return undefined;
    } finally {
      setRunning((count) => count - 1);
    }
  }
  return { isRunning: running > 0, give };
}

export function troubleInWords(error: unknown): string {
  const hint = error instanceof GatewayError && error.hint ? ` ${error.hint}` : '';
  return `${messageOf(error)}${hint}`;
}

/** The time, drawn again so often. */
export function useTerminalTime(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A choice that is still there when its view is shown again. The new value is made of the newest one: several keys may come at once. */
export function useRemembered<T>(name: string, first: T): [value: T, set: (next: (last: T) => T) => void] {
  const { memory } = useTui();
  const [, draw] = useState(0);
  const value = memory.has(name) ? (memory.get(name) as T) : first;
  const set = (next: (last: T) => T) => {
    memory.set(name, next(memory.has(name) ? (memory.get(name) as T) : first));
    draw((count) => count + 1);
  };
  return [value, set];
}
