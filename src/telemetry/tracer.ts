/** Begins the trace of a message at the door, or goes on with the one that its agent is in. */

import type { Clock } from '../base/clock.ts';
import { currentRequest } from '../base/ids.ts';
import { metaOf } from '../protocol/eras.ts';
import type { RpcRequest } from '../protocol/messages.ts';
import { newSpanId, Span, type SpanAttributes, type SpanSink, type TraceContext } from './span.ts';

/** A message that a door has to answer, with what came beside it. */
export interface ArrivedMessage {
  readonly message: RpcRequest;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the legacy era. */
  readonly session?: string | undefined;
  readonly version?: string | undefined;
}

interface TracerOptions {
  readonly clock: Clock;
  /** The share of traces that begin here and are recorded. */
  readonly ratio: () => number;
  readonly take: SpanSink['take'];
}

/** Version 00, or the beginning of a later one, which has the same parts. */
const traceparentForm = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?![\da-f])/;
const tracestateForm = /^[\t\x20-\x7e]{1,512}$/;
const sampledBit = 1;

export class Tracer {
  readonly #options: TracerOptions;

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  begin({ message, headers, session, version }: ArrivedMessage): Span {
    const { method, params, id } = message;
    const meta = metaOf(params) ?? {};
    // The message says who asks; its headers may be those of a program between.
    const parent =
      readContext(meta.traceparent, meta.tracestate) ?? readContext(headers.traceparent, headers.tracestate);
    const request = currentRequest();
    const context = parent ? { ...parent, spanId: newSpanId() } : this.#newTrace(request?.id);
    if (request) request.traceId = context.traceId;
    const target = targetOf(message);
    const attributes: SpanAttributes = {
      'mcp.method.name': method,
      'mcp.session.id': session,
      'mcp.protocol.version': version,
      'jsonrpc.request.id': String(id),
      'network.transport': 'tcp',
      'toolcrib.request.id': request?.id,
      ...target?.attributes,
    };
    const name = target ? `${method} ${target.name}` : method;
    return new Span(this.#options, context, { name, kind: 'server', attributes, parentId: parent?.spanId, leastMs: 0 });
  }

  /** Its id is that of the request, which is random enough in the bytes that decide on sampling. */
  #newTrace(requestId: string | undefined): TraceContext {
    const traceId = requestId?.replaceAll('-', '') ?? `${newSpanId()}${newSpanId()}`;
    return { traceId, spanId: newSpanId(), isSampled: isSampled(traceId, this.#options.ratio()) };
  }
}

/** By the last seven bytes, as others decide it: with one ratio everywhere, a trace is whole or absent. The last bits are more than a number holds. */
function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-14, -1), 16) < ratio * 2 ** 52;
}

/** Undefined where there is none, or one that is malformed. */
export function readContext(parent: unknown, state: unknown): TraceContext | undefined {
  const [, traceId, spanId, flags] = typeof parent === 'string' ? (traceparentForm.exec(parent.trim()) ?? []) : [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const isSampledThere = (Number.parseInt(flags, 16) & sampledBit) === sampledBit;
  const context = { traceId, spanId, isSampled: isSampledThere };
  return typeof state === 'string' && tracestateForm.test(state) ? { ...context, state } : context;
}

/** The tool or prompt that a request is about. The address of a resource may hold anything, and is left out. */
export function targetOf({
  method,
  params,
}: Pick<RpcRequest, 'method' | 'params'>): { readonly name: string; readonly attributes: SpanAttributes } | undefined {
  const name = params?.name;
  if (typeof name !== 'string') return undefined;
  if (method === 'prompts/get') return { name, attributes: { 'gen_ai.prompt.name': name } };
  if (method !== 'tools/call') return undefined;
  return { name, attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name } };
}
