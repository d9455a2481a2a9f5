/** How one server is at a moment, for those who show it. */

import { GatewayError } from '../base/errors.ts';
import type { ServerSpec } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import type { Link } from './link.ts';
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
  readonly connectedAt: number | null;
  /** The same in monotonic time, to compare it with other moments of this run. */
  readonly connectedElapsed: number | null;
  readonly lastError: string | null;
  /** How a person can fix the last error. */
  readonly hint: string | null;
  /** Why it failed, for programs. */
  readonly reason: string | null;
  readonly nextRetryAt: number | null;
  readonly callsInFlight: number;
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
    connectedElapsed: first?.openedAt ?? null,
    lastError: lastError?.message ?? null,
    hint: error?.hint ?? null,
    reason: typeof error?.data?.reason === 'string' ? error.data.reason : null,
    nextRetryAt: facts.nextRetryAt,
    callsInFlight: links.reduce((sum, link) => sum + link.callsInFlight, 0),
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
