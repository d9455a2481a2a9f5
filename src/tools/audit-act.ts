/** Has one act of a principal written down in the audit before its answer leaves: exactly once, however it ends. */

import type { AuditEvent } from '../audit/audit.ts';
import type { JsonObject } from '../base/json.ts';
import { outcomeOf } from '../caller/caller.ts';
import type { Result } from '../protocol/messages.ts';
import type { RequestSender } from './call-tool.ts';
import type { Uses } from './layers.ts';

export interface Act extends Pick<AuditEvent, 'kind' | 'action' | 'arguments' | 'tool' | 'server'> {
  /** It asks for a call, which is written down where it is executed: here only if it came to none. */
  readonly isCall?: boolean | undefined;
  readonly detail?: JsonObject | undefined;
}

/** Facts about the act that its answer holds. */
export interface ActFacts {
  /** Where the answer is a result, which may tell of a failure. */
  readonly result?: Result | undefined;
  readonly detail?: JsonObject | undefined;
}

export async function auditAct<T>(
  layers: Uses<'audit' | 'clock'>,
  sender: RequestSender,
  act: Act,
  run: () => Promise<T>,
  factsOf: (answer: T) => ActFacts = () => ({}),
): Promise<T> {
  const since = layers.clock.elapsed();
  const ended = await run().then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  const ms = layers.clock.elapsed() - since;
  if ('error' in ended) {
    await record(layers, sender, act, ended, ms);
    throw ended.error;
  }
  const { result = {}, detail } = factsOf(ended.answer);
  await record(layers, sender, act, { result, detail }, ms);
  return ended.answer;
}

type Ending = { readonly result: Result; readonly detail?: JsonObject | undefined } | { readonly error: unknown };

async function record(
  { audit }: Uses<'audit'>,
  { principal, agent }: RequestSender,
  { isCall, detail, ...act }: Act,
  ending: Ending,
  ms: number,
): Promise<void> {
  const { isRecorded, server } = agent.trace;
  if (isCall && isRecorded) return;
  const outcome = outcomeOf(ending);
  // The agent has been asked something: it comes back, or the call is written down as given up.
  if (outcome === undefined) return;
  const more = 'error' in ending ? undefined : ending.detail;
  await audit.record({
    ...act,
    server: act.server ?? server,
    principal,
    client: agent.client,
    rpcId: agent.requestId,
    project: principal.project?.name,
    session: agent.session,
    outcome: outcome.kind,
    errorType: outcome.errorType,
    ms,
    detail: detail === undefined && more === undefined ? undefined : { ...detail, ...more },
  });
}
