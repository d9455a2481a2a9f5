/** How one server is: its state, for those who show it; why it cannot be used; and how long others wait while it is being installed. */

import { abortable, type Clock, type Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Config, ServerSpec } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import type { Link } from './link.ts';
import { packageRunnerOf } from './package-runner.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { Transport } from './transport.ts';

/** `listing` is known to the catalog alone: connected, and its tools were never listed. */
export type ServerState = 'configured' | 'installing' | 'connecting' | 'listing' | 'connected' | 'failed' | 'disabled';

export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly era: Era | null;
  /** How long a package runner has been at it, where the state is `installing`. */
  readonly installingMs: number | null;
  /** Of the first of its links. */
  readonly connectedAt: number | null;
  /** The same in monotonic time, to compare it with other moments of this run. */
  readonly openedAt: number | null;
  readonly lastError: string | null;
  /** How a person can fix the last error. */
  readonly hint: string | null;
  /** Why it failed, for programs. */
  readonly reason: string | null;
  readonly nextRetryAt: number | null;
  /** True while nothing is tried, because the last tries failed. */
  readonly isBreakerOpen: boolean;
  readonly callsInFlight: number;
  /** Those of them that wait for a turn. */
  readonly callsWaiting: number;
  readonly pids: readonly number[];
  readonly junkLines: number;
  /** Read, and masked, only when somebody looks. */
  readonly junkSample: string;
  readonly stderr: string;
}

/** Why nothing can be sent to a server, whatever state its links are in. */
export function unusable({ name, problem, isEnabled }: ServerSpec): GatewayError | undefined {
  if (problem) return new GatewayError('SERVER_NOT_RUNNING', `Server "${name}" cannot be used: ${problem}`);
  if (isEnabled) return undefined;
  return new GatewayError('SERVER_NOT_RUNNING', `Server "${name}" is disabled.`, {
    hint: `Run: toolcrib enable ${name}`,
  });
}

/** The state of the links to a server. */
interface LinkFacts {
  readonly state: ServerState;
  readonly links: readonly Link[];
  /** The transport of the last attempt, for what a server printed before it failed. */
  readonly lastTransport: Transport | undefined;
  readonly installingMs: number | undefined;
  readonly lastError: GatewayError | undefined;
  readonly nextRetryAt: number | null;
  readonly isBreakerOpen: boolean;
}

export function describeLinks(spec: ServerSpec, facts: LinkFacts): ServerStatus {
  const { state, links, lastError } = facts;
  const first = links[0];
  const [child] = [...links.map((link) => link.transport), facts.lastTransport].filter(
    (transport) => transport instanceof StdioTransport,
  );
  const error = state === 'connected' ? undefined : lastError;
  return {
    name: spec.name,
    state,
    transport: spec.transport.kind,
    era: first?.era ?? null,
    installingMs: state === 'installing' ? (facts.installingMs ?? 0) : null,
    connectedAt: first?.connectedAt ?? null,
    openedAt: first?.openedAt ?? null,
    lastError: lastError?.message ?? null,
    hint: error?.hint ?? null,
    reason: typeof error?.data?.reason === 'string' ? error.data.reason : null,
    nextRetryAt: facts.nextRetryAt,
    isBreakerOpen: facts.isBreakerOpen,
    callsInFlight: links.reduce((sum, link) => sum + link.callsInFlight, 0),
    callsWaiting: links.reduce((sum, link) => sum + link.callsWaiting, 0),
    pids: links.flatMap(({ transport }) => (transport instanceof StdioTransport ? [transport.pid ?? -1] : [])),
    junkLines: child?.junkLines ?? 0,
    get junkSample() {
      return child?.junk.lastLines(1)[0] ?? '';
    },
    get stderr() {
      return child?.stderr.read() ?? '';
    },
  };
}

export class InstallWatch {
  readonly #server: string;
  readonly #runner: string | undefined;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #transport: () => Transport | undefined;

  /** `transport`: that of the last start. */
  constructor(
    spec: ServerSpec,
    { clock, connect }: { readonly clock: Clock; readonly connect: Config['connect'] },
    transport: () => Transport | undefined,
  ) {
    this.#server = spec.name;
    this.#runner = spec.transport.kind === 'stdio' ? packageRunnerOf(spec.transport) : undefined;
    this.#clock = clock;
    this.#waitMs = connect.timeoutMs;
    this.#transport = transport;
  }

  /** Since when, in milliseconds; undefined where nothing is being installed. */
  get ms(): number | undefined {
    return this.#transport()?.installingMs;
  }

  /** The result of the work; trouble where an installation keeps it waiting for too long. The installation goes on. */
  async inTime<T>(work: Promise<T>, withinMs = Number.POSITIVE_INFINITY): Promise<T> {
    if (this.#runner === undefined) return work;
    const late = new AbortController();
    const look = (): Timer =>
      this.#clock.after(Math.min(withinMs, this.#waitMs), () => {
        const { ms } = this;
        if (ms === undefined) timer = look();
        else late.abort(this.#stillInstalling(ms));
      });
    let timer = look();
    return abortable(work, late.signal).finally(() => timer.cancel());
  }

  #stillInstalling(ms: number): GatewayError {
    const what = `Server "${this.#server}" is still being installed (${Math.floor(ms / 1000)} s so far).`;
    return new GatewayError('SERVER_NOT_RUNNING', what, {
      hint: `${this.#runner} downloads a server before its first start; "toolcrib list" shows when that is done.`,
      data: { reason: 'installing', installingMs: ms },
    });
  }
}
