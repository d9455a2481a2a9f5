/** The servers of a setup: test servers over stdio or HTTP, each with a journal, and a secret that must stay with it. */

import {
  type JournalEntry,
  newJournal,
  type RunningServer,
  readJournal,
  type ServerSpec,
  serverCommand,
  startServer,
} from '../../test/servers/launch.ts';
import { startedAt } from './process-time.ts';

export type ServerPlan = ServerSpec & {
  /** More members of the server's entry in the config. */
  readonly entry?: Readonly<Record<string, unknown>>;
};

/** Starts are counted in hundredths of a second. */
const startToleranceMs = 100;

export class RigServer {
  readonly name: string;
  /** Its member of `mcpServers`. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly isStdio: boolean;
  readonly journalPath: string;
  readonly #spec: ServerSpec;
  #running: RunningServer | undefined;

  private constructor(
    name: string,
    spec: ServerSpec,
    entry: Readonly<Record<string, unknown>>,
    running?: RunningServer,
  ) {
    this.name = name;
    this.#spec = spec;
    this.entry = entry;
    this.isStdio = running === undefined;
    this.journalPath = spec.journal ?? '';
    this.#running = running;
  }

  static async make(name: string, plan: ServerPlan, secret: string): Promise<RigServer> {
    const { entry, ...rest } = plan;
    const spec = { name, ...rest, journal: newJournal() };
    if (spec.transport === undefined || spec.transport === 'stdio') {
      return new RigServer(name, spec, { ...serverCommand(spec), env: { TEST_SECRET: secret }, ...entry });
    }
    const running = await startServer(spec);
    return new RigServer(name, spec, { url: running.url, headers: { 'x-test-secret': secret }, ...entry }, running);
  }

  /** Its notes so far, of one kind if wanted. */
  noted(event?: JournalEntry['event']): JournalEntry[] {
    return readJournal(this.journalPath).filter((entry) => event === undefined || entry.event === event);
  }

  /** Every process that was started for it, grandchildren included; not those whose number another program has by now. */
  pids(): number[] {
    const firstSeen = new Map<number, number>();
    for (const { pid, grandchildPid, at } of this.noted()) {
      for (const one of [pid, grandchildPid])
        if (typeof one === 'number' && !firstSeen.has(one)) firstSeen.set(one, at);
    }
    return [...firstSeen].filter(([pid, at]) => (startedAt(pid) ?? 0) <= at + startToleranceMs).map(([pid]) => pid);
  }

  get era(): ServerSpec['era'] {
    return this.#spec.era;
  }

  /** Over HTTP: the process that runs now. */
  get pid(): number {
    return this.#running?.pid ?? 0;
  }

  /** Over HTTP: starts it again at the same address, after its process has ended. */
  async startAgain(): Promise<void> {
    const port = Number(new URL(String(this.entry.url)).port);
    await this.#running?.exited;
    this.#running = await startServer({ ...this.#spec, port });
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }
}
