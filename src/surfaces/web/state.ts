/** The state that every page has at hand: the live view, answers of operations that stay fresh, and orders with their outcome. */

import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { InputOf, OperationName, OutputOf, Topic, WaitingCall } from '../../admin/admin.ts';
import type { LiveState, LiveView } from '../live/live.ts';
import { ApiError, type Person, run } from './session.ts';

export interface PageState {
  readonly live: LiveState & { readonly view: LiveView };
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

export function useView(): LiveView {
  return usePageState().live.view;
}

export interface Fetched<T> {
  /** The last answer, also while a newer one is fetched. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** `calls`: after calls were made, at most every two seconds. */
type FreshTopic = Topic | 'calls' | 'servers';

const callsEveryMs = 2_000;
const serversEveryMs = 500;
/** The first change of a topic is shown at once; a storm of them is not followed one by one. */
const topicsEveryMs = 250;

/** The answer of an operation, asked again when its input or one of the topics changes. `null` as input asks nothing. */
export function useOperation<N extends OperationName>(
  name: N,
  input: InputOf<N> | null,
  topics: readonly FreshTopic[] = [],
): Fetched<OutputOf<N>> {
  const view = useView();
  const [answer, setAnswer] = useState<Omit<Fetched<OutputOf<N>>, 'reload'>>({
    ...{ data: undefined, error: undefined, isLoading: input !== null },
  });
  const [again, setAgain] = useState(0);
  const calls = useThrottled(topics.includes('calls') ? (view.records[0]?.id ?? 0) : 0, callsEveryMs);
  const servers = useThrottled(topics.includes('servers') ? view.servers : undefined, serversEveryMs);
  const revisions = topics.map((topic) => (topic === 'calls' || topic === 'servers' ? '' : view.revisions[topic]));
  // After a new snapshot nobody knows what changed before it.
  const revision = useThrottled(`${view.since} ${revisions.join()}`, topicsEveryMs);
  const key = input === null ? null : JSON.stringify(input);
  const asking = useRef({ stop: new AbortController(), asked: 0, answered: 0 });
  useEffect(() => {
    const stop = new AbortController();
    asking.current = { stop, asked: 0, answered: 0 };
    // The answer to another question is not shown for this one.
    setAnswer({ data: undefined, error: undefined, isLoading: key !== null });
    return () => stop.abort();
  }, [name, key]);
  useEffect(() => {
    if (key === null) return;
    const own = asking.current;
    own.asked += 1;
    const number = own.asked;
    // Requests for the same that are under way may end first: cut off each time, slow ones would never answer.
    const settle = (outcome: { readonly data: OutputOf<N> } | { readonly error: ApiError }) => {
      if (own.stop.signal.aborted || number < own.answered) return;
      own.answered = number;
      setAnswer(({ data }) => ({ data, error: undefined, isLoading: false, ...outcome }));
    };
    setAnswer((last) => ({ ...last, isLoading: true }));
    run(name, JSON.parse(key) as InputOf<N>, own.stop.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error: asApiError(error) }),
    );
  }, [name, key, revision, calls, servers, again]);
  const reload = useCallback(() => setAgain((count) => count + 1), []);
  return { ...answer, reload };
}

const noCalls: readonly WaitingCall[] = [];

/** Calls that wait for approval, with what exactly would be called. */
export function useWaitingCalls(): readonly WaitingCall[] {
  return useOperation('approvals.list', {}, ['approvals']).data ?? noCalls;
}

/** Calls to approve and definitions to review. */
export function useWaitingCount(): number {
  const calls = useWaitingCalls().length;
  return [...useView().servers.values()].reduce(
    (sum, { heldCount, changedCount, markedCount }) => sum + heldCount + changedCount + markedCount,
    calls,
  );
}

/** The value, but not more often than every `ms`; the last one always comes. */
export function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, last.current + ms - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      setShown(() => value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return shown;
}

/** The time now, drawn again every `ms`: for what goes by without any event. */
export function useNow(ms: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
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
