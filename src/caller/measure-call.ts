/** The last step of a call: its row and its event in the audit are written before its answer leaves, so that nothing that was answered goes uncounted. */

import type { AuditEvent, AuditLog } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import { isObject } from '../base/json.ts';
import { jsonSize } from '../base/json-size.ts';
import type { CallMetrics, CallRecord } from '../metrics/metrics.ts';
import { addressOf, type Call, type CallEnd } from './call.ts';
import type { CallOutcome } from './outcome.ts';
import { cachedKey } from './reuse-result.ts';
import type { Trail } from './trail.ts';

export class CallMeter {
  readonly #metrics: CallMetrics;
  readonly #audit: AuditLog;
  readonly #trail: Trail;
  readonly #clock: Clock;

  constructor(metrics: CallMetrics, audit: AuditLog, trail: Trail, clock: Clock) {
    this.#metrics = metrics;
    this.#audit = audit;
    this.#trail = trail;
    this.#clock = clock;
  }

  measure(call: Call, ended: CallEnd, outcome: CallOutcome, ms: number): Promise<void> {
    const { session } = call.agent;
    const key = addressOf(call);
    const meta = 'result' in ended && isObject(ended.result._meta) ? ended.result._meta : {};
    const previous = this.#trail.before(session);
    if (outcome.kind === 'ok') this.#trail.worked(session, key);
    const row: CallRecord = {
      at: this.#clock.now(),
      server: call.server,
      tool: call.tool,
      outcome: outcome.kind,
      errorType: outcome.errorType,
      error: outcome.message,
      ms,
      requestBytes: jsonSize(call.params.arguments ?? {}),
      resultBytes: 'result' in ended ? resultSize(ended.result, meta) : 0,
      way: call.way,
      isCached: meta[cachedKey] !== undefined,
      principal: call.principal.id,
      session,
      previous,
      query: call.query,
      suggestedFor: this.#trail.takeSuggestion(session, key),
    };
    return this.#metrics.record(row, this.#audit.recordOf(eventOf(call, row)));
  }
}

function eventOf({ principal, agent, params, way }: Call, row: CallRecord): AuditEvent {
  return {
    kind: 'execution',
    action: 'tools.call',
    principal,
    client: agent.client,
    rpcId: agent.requestId,
    project: principal.project?.name,
    session: agent.session,
    server: row.server,
    tool: row.tool,
    outcome: row.outcome,
    errorType: row.errorType,
    ms: row.ms,
    arguments: params.arguments ?? {},
    detail: row.isCached ? { way, isCached: true } : { way },
  };
}

/** The size that the server sent, even if the agent got only its beginning. */
function resultSize(result: unknown, meta: Record<string, unknown>): number {
  const kept = meta['toolcrib/result'];
  return isObject(kept) && typeof kept.bytes === 'number' ? kept.bytes : jsonSize(result);
}
