/** Spans in the JSON form of OTLP, the protocol of OpenTelemetry: bounded, and with secrets masked. */

import type { Clock } from '../base/clock.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { version } from '../base/own-program.ts';
import { redactedBeginning } from '../base/redact.ts';
import { visibleLine } from '../base/visible.ts';
import type { EndedSpan, SpanAttributes, SpanKind } from './span.ts';

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const statusError = 2;

/** Of one span: attributes, characters of its name and of each value, and of the state that others gave its trace. */
const most = { attributes: 16, characters: 128, stateCharacters: 512 };

const scope: JsonObject = { name: 'toolcrib', version };

/** `instance`: differs from gateway to gateway, and from start to start. */
export function resourceOf(instance: string): JsonObject {
  const facts = { 'service.name': 'toolcrib', 'service.version': version, 'service.instance.id': instance };
  return { attributes: otlpAttributes(facts) };
}

export function spansAsOtlp(spans: readonly EndedSpan[], resource: JsonObject, clock: Clock): JsonObject {
  const epochMs = clock.now() - clock.elapsed();
  const shorten = shortener();
  const told = spans.map((span) => spanOf(span, epochMs, shorten));
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: told }] }] };
}

/** `metrics`: each in this form already. */
export function metricsAsOtlp(metrics: readonly Json[], resource: JsonObject): JsonObject {
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] };
}

function spanOf(span: EndedSpan, epochMs: number, shorten: (text: string) => string): JsonObject {
  const { context, parentId, errorType } = span;
  const attributes = { 'error.type': errorType, ...span.attributes };
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.state === undefined ? {} : { traceState: redactedBeginning(context.state, most.stateCharacters) }),
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    // Sampled, as every span that comes here.
    flags: 1,
    name: shorten(span.name),
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(epochMs + span.startedAt),
    endTimeUnixNano: nanoseconds(epochMs + span.endedAt),
    attributes: otlpAttributes(attributes, shorten).slice(0, most.attributes),
    ...(errorType === undefined ? {} : { status: { code: statusError } }),
  };
}

/** `shorten`: for texts of strangers. */
export function otlpAttributes(attributes: SpanAttributes, shorten = (text: string) => text): Json[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { doubleValue: value } : { stringValue: shorten(value) } }];
  });
}

/** Bounds and masks texts. The same few stand in most spans, and each is looked at once: that would take long otherwise. */
function shortener(): (text: string) => string {
  const done = new Map<string, string>();
  return (text) => {
    const short = done.get(text) ?? shortText(text);
    done.set(text, short);
    return short;
  };
}

/** Names of strangers, without what they could hide in them. */
function shortText(text: string): string {
  return visibleLine(redactedBeginning(text, most.characters)).slice(0, most.characters).toWellFormed();
}

/** As a text, because the number is larger than JSON keeps exactly. */
export function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}
