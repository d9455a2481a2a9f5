/** The state that every page has at hand: the live view, answers of operations that stay fresh, and orders with their outcome. */

import { createContext } from 'preact';
import { useCallback, useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { InputOf, OperationName, OutputOf, WaitingCall } from '../../admin/admin.ts';
import {
  FreshAnswer,
  type FreshState,
  type FreshTopic,
  type LiveState,
  type LiveStore,
  type LiveView,
  noAnswer,
  watchTopics,
} from '../live/live.ts';
import { definitionsToReview } from '../wording/wording.ts';
import { ApiError, type Person, run } from './session.ts';

/** The same for as long as the page is open: nothing is drawn again because of it. */
export interface PageState {
  readonly live: LiveStore;
  readonly person: Person;
  /** Shows a short message for a while. */
  readonly tell: (message: string, kind?: 'done' | 'failed') => void;
}

export const PageContext = createContext<PageState | undefined>(undefined);

export function usePageState(): PageState {
  const state = useContext(PageContext);
  if (!state) throw new Error('There is no page around this.');
  return state;
}

/** A part of the live view. The component is drawn again only when this part has changed, so select no new object. */
export function useLive<T>(select: (view: LiveView) => T): T {
  const { live } = usePageState();
  return useLiveState(live, () => select(live.view));
}

/** The same for what is shown before there is a view. */
export function useLiveState<T>(live: LiveStore, select: (state: LiveState) => T): T {
  const value = select(live.current());
  const drawn = useRef({ select, value });
  drawn.current = { select, value };
  const [, draw] = useState(0);
  useLayoutEffect(
    () =>
      live.listen(() => {
        if (drawn.current.select(live.current()) !== drawn.current.value) draw((count) => count + 1);
      }),
    [live],
  );
  return value;
}

/** A number that changes when one of the topics does, and with a new snapshot. */
export function useRevision(topics: readonly FreshTopic[]): number {
  const { live } = usePageState();
  const [revision, setRevision] = useState(0);
  useLayoutEffect(() => watchTopics(live, topics, () => setRevision((count) => count + 1)), [live, topics.join()]);
  return revision;
}

export interface Fetched<T> {
  /** The last answer, also while a newer one is fetched. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
}

interface AnswerTo<N extends OperationName> {
  /** The input that it answers. */
  readonly key: string;
  readonly state: FreshState<OutputOf<N>>;
}

/** The answer of an operation, asked again when its input or one of the topics changes. `null` as input asks nothing. */
export function useOperation<N extends OperationName>(
  name: N,
  input: InputOf<N> | null,
  topics: readonly FreshTopic[] = [],
): Fetched<OutputOf<N>> {
  const { live } = usePageState();
  const [answer, setAnswer] = useState<AnswerTo<N>>();
  const fresh = useRef<FreshAnswer<N> | null>(null);
  const key = input === null ? null : JSON.stringify(input);
  useLayoutEffect(() => {
    if (key === null) return;
    const ask = (signal: AbortSignal) => run(name, JSON.parse(key) as InputOf<N>, signal);
    const asked = new FreshAnswer<N>({ live, ask, topics, onState: (state) => setAnswer({ key, state }) });
    fresh.current = asked;
    return () => asked.close();
  }, [live, name, key, topics.join()]);
  const reload = useCallback(() => fresh.current?.reload(), []);
  // The answer to another question is never shown for this one, not even until its effects have run.
  const { data, error } = answer !== undefined && answer.key === key ? answer.state : noAnswer;
  return { data, error: error === undefined ? undefined : asApiError(error), reload };
}

const noCalls: readonly WaitingCall[] = [];

/** Calls that wait for approval, with what exactly would be called. */
export function useWaitingCalls(): readonly WaitingCall[] {
  return useOperation('approvals.list', {}, ['approvals']).data ?? noCalls;
}

/** Calls to approve and definitions to review. */
export function useWaitingCount(): number {
  const calls = useWaitingCalls().length;
  const definitions = useLive(({ servers }) =>
    [...servers.values()].reduce((sum, server) => sum + definitionsToReview(server), 0),
  );
  return calls + definitions;
}

/** The time now, drawn again every `ms`: for what goes by without any event. */
export function useNow(ms: number): number {
  const [now, setNow] = useState(Date.now);
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
}

export interface Order {
  readonly isRunning: boolean;
  /** Runs it and tells of its outcome; undefined where it failed. */
  readonly give: <N extends OperationName>(
    name: N,
    input: InputOf<N>,
    done?: string,
  ) => Promise<OutputOf<N> | undefined>;
}

/** How the owner calls the program in a terminal; its bare name until the gateway has said it. */
export function useOwnCommand(): string {
  return useOperation('gateway.status', {}).data?.command ?? 'toolcrib';
}

/** An order to the gateway by a button: one at a time, with a message of what came of it. */
export function useOrder(): Order {
  const { tell } = usePageState();
  const [isRunning, setRunning] = useState(false);
  async function give<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    done?: string,
  ): Promise<OutputOf<N> | undefined> {
    setRunning(true);
    try {
      const answer = await run(name, input);
      if (done !== undefined) tell(done, 'done');
      return answer;
    } catch (error) {
      const { message, hint } = asApiError(error);
      tell(hint ? `${message} ${hint}` : message, 'failed');
      return undefined;
    } finally {
      setRunning(false);
    }
  }
  return { isRunning, give };
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, { code: 'UNREACHABLE', message: 'The gateway does not answer.' });
}
