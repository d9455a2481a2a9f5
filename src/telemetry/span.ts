/** Spans: pieces of work on one request, each with its place in a trace (W3C Trace Context). They hold names and figures, never arguments, results or error texts. */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { errorCodes, GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { type Result, RpcError } from '../protocol/messages.ts';

export type SpanKind = 'internal' | 'server' | 'client';

/** Members that are undefined are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** Where a span stands, as others are told. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  /** The `tracestate` that came with the trace; we only pass it on. */
  readonly state?: string | undefined;
}

/** A span that is over. Times are monotonic. */
export interface EndedSpan {
  readonly context: TraceContext;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Undefined: the work succeeded. */
  readonly errorType: string | undefined;
}

/** Takes spans that are over. It must not wait or throw: it is called in the middle of a call. */
export interface SpanSink {
  readonly clock: Clock;
  take(span: EndedSpan): void;
}

/** The outcome of the work of a span. */
type SpanEnd = { readonly result: Result } | { readonly error: unknown };

interface SpanFacts {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
  readonly parentId?: string | undefined;
  /** In monotonic time; left out, it starts now. */
  readonly startedAt?: number | undefined;
  /** A shorter one is dropped, unless its work failed. */
  readonly leastMs: number;
}

/** Where a link is open, its stage takes less and would only hide the others. */
const leastStageMs = 0.05;

export class Span {
  readonly context: TraceContext;
  readonly #sink: SpanSink;
  readonly #facts: SpanFacts;
  readonly #startedAt: number;
  #later: SpanAttributes | undefined;
  #isOver = false;

  constructor(sink: SpanSink, context: TraceContext, facts: SpanFacts) {
    this.#sink = sink;
    this.context = context;
    this.#facts = facts;
    this.#startedAt = facts.startedAt ?? sink.clock.elapsed();
  }

  /** In a trace that is not sampled this is the span itself: nothing is recorded, and others are told of the same place. */
  child(name: string, facts: Partial<Omit<SpanFacts, 'parentId'>> = {}): Span {
    if (!this.context.isSampled) return this;
    const context = { ...this.context, spanId: newSpanId() };
    const parentId = this.context.spanId;
    return new Span(this.#sink, context, { kind: 'internal', attributes: {}, leastMs: 0, ...facts, name, parentId });
  }

  /** A child that is recorded only if it took a while or failed. */
  stage(name: string): Span {
    return this.child(name, { leastMs: leastStageMs });
  }

  /** A child that is over now. */
  record(name: string, startedAt: number, ended: SpanEnd): void {
    if (this.context.isSampled) this.child(name, { startedAt }).finish(ended);
  }

  /** The members by which the next program learns of its place in the trace, in `_meta` and in HTTP headers alike. */
  get carrier(): Readonly<Record<string, string>> {
    const { traceId, spanId, isSampled, state } = this.context;
    const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
    return state === undefined ? { traceparent } : { traceparent, tracestate: state };
  }

  add(attributes: SpanAttributes): void {
    this.#later = { ...this.#later, ...attributes };
  }

  /** Only the first end counts. */
  end(errorType?: string): void {
    if (this.#isOver || !this.context.isSampled) return;
    this.#isOver = true;
    const { name, kind, parentId, leastMs, attributes } = this.#facts;
    const endedAt = this.#sink.clock.elapsed();
    if (errorType === undefined && endedAt - this.#startedAt < leastMs) return;
    this.#sink.take({
      context: this.context,
      parentId,
      name,
      kind,
      attributes: this.#later ? { ...attributes, ...this.#later } : attributes,
      startedAt: this.#startedAt,
      endedAt,
      errorType,
    });
  }

  /** Ends it by the outcome of its work. */
  finish(ended: SpanEnd): void {
    this.end('error' in ended ? typeOfError(ended.error) : typeOfFailure(ended.result));
  }

  async during(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      this.finish({ result });
      return result;
    } catch (error) {
      this.finish({ error });
      throw error;
    }
  }
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

function typeOfError(error: unknown): string {
  if (error instanceof GatewayError) return error.code;
  if (error instanceof RpcError) return String(error.code);
  return '_OTHER';
}

/** A result that tells of a failure: of trouble with the gateway or a server, or, by the usual word, of the tool itself. */
function typeOfFailure({ isError, structuredContent }: Result): string | undefined {
  if (isError !== true) return undefined;
  const said = isObject(structuredContent) ? structuredContent.errorType : undefined;
  return errorCodes.find((code) => code === said) ?? 'tool_error';
}
