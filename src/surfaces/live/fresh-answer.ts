/** The answer of an operation that stays fresh: it is asked again when something that it depends on changes. */

import type { AuditLine, OperationName, OutputOf, Topic } from '../../admin/admin.ts';
import type { LiveStore } from './live-store.ts';
import type { LiveView } from './live-view.ts';

/** `calls`: after calls were made. `figures`: the same for answers that are long. `optimizer`: after orders to it, and when a job ends. */
export type FreshTopic = Topic | 'calls' | 'figures' | 'servers' | 'jobs' | 'optimizer';

/** The first change of a topic is followed at once; a storm of them is not followed one by one. */
const usualEveryMs = 250;
const everyMs: Partial<Record<FreshTopic, number>> = {
  ...{ calls: 2_000, figures: 10_000 },
  ...{ servers: 500, jobs: 500, recording: 2_000 },
};

/** Tells when one of the topics changes, and of a new snapshot: nobody knows what changed before it. */
export function watchTopics(live: LiveStore, topics: readonly FreshTopic[], onChange: () => void): () => void {
  const stops = [
    live.watch((view) => view?.since, onChange, usualEveryMs),
    ...topics.map((topic) =>
      live.watch((view) => view && markOf(view, topic), onChange, everyMs[topic] ?? usualEveryMs),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Tells when a connection that was lost is live again. */
function whenBack(live: LiveStore, onBack: () => void): () => void {
  let { connection: last } = live.current();
  return live.listen(() => {
    const isBack = last === 'lost' && live.current().connection === 'live';
    last = live.current().connection;
    if (isBack) onBack();
  });
}

/** Differs when the topic has changed. */
function markOf(view: LiveView, topic: FreshTopic): unknown {
  if (topic === 'optimizer') return optimizerMark(view);
  if (topic === 'calls' || topic === 'figures') return view.records[0]?.id;
  return topic === 'servers' || topic === 'jobs' ? view[topic] : view.revisions[topic];
}

function optimizerMark({ records, jobs }: LiveView): string {
  // A job tells of itself, and an estimate of one changes nothing.
  const isOrder = ({ kind, action }: AuditLine) =>
    kind === 'administration' && action.startsWith('optimize.') && action !== 'optimize.run';
  const order = records.find(isOrder);
  const active = [...jobs.values()].filter(({ state }) => state === 'queued' || state === 'running').length;
  return `${order?.id ?? 0} ${jobs.size - active}`;
}

export interface FreshState<T> {
  /** The last answer, also while a newer one is fetched. */
  readonly data: T | undefined;
  /** Why the last question was not answered. */
  readonly error: unknown;
}

/** Before anything was answered. */
export const noAnswer: FreshState<never> = { data: undefined, error: undefined };

export interface FreshQuestion<N extends OperationName> {
  readonly live: LiveStore;
  /** Asks the operation once. */
  readonly ask: (signal: AbortSignal) => Promise<OutputOf<N>>;
  readonly topics: readonly FreshTopic[];
  readonly onState: (state: FreshState<OutputOf<N>>) => void;
}

export class FreshAnswer<N extends OperationName> {
  readonly #question: FreshQuestion<N>;
  readonly #stop = new AbortController();
  readonly #unwatch: readonly (() => void)[];
  #hasFailed = false;
  #data: OutputOf<N> | undefined;
  #asked = 0;
  #answered = 0;

  constructor(question: FreshQuestion<N>) {
    this.#question = question;
    this.#unwatch = [
      watchTopics(question.live, question.topics, this.reload),
      // Events go on where they were cut: nothing else would tell that a question failed meanwhile.
      whenBack(question.live, () => this.#hasFailed && this.reload()),
    ];
    this.reload();
  }

  readonly reload = (): void => {
    this.#asked += 1;
    const number = this.#asked;
    // Questions that are under way may be answered first: cut off each time, slow ones would never be.
    const settle = (data: OutputOf<N> | undefined, error: unknown) => {
      if (this.#stop.signal.aborted || number < this.#answered) return;
      this.#answered = number;
      this.#data = data;
      this.#hasFailed = error !== undefined;
      this.#question.onState({ data, error });
    };
    this.#question.ask(this.#stop.signal).then(
      (data) => settle(data, undefined),
      (error: unknown) => settle(this.#data, error),
    );
  };

  close(): void {
    for (const stop of this.#unwatch) stop();
    this.#stop.abort();
  }
}
