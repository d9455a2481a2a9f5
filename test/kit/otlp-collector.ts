/** An OpenTelemetry collector for tests: takes OTLP over HTTP in JSON, decodes it strictly, and can be slow or refuse. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './processes.ts';

type Dict = Record<string, unknown>;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly startNano: bigint;
  readonly endNano: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
}

export interface CollectedPoint {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string | number>>;
  /** The count of a histogram. */
  readonly value: number;
}

/** Answers a request in place of the collector's own way, which is to take everything. */
export type CollectorAnswer = (response: ServerResponse) => void;

export class OtlpCollector implements AsyncDisposable {
  readonly spans: CollectedSpan[] = [];
  /** Of the latest report. */
  points: readonly CollectedPoint[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** Everything that came, as it came. */
  text = '';
  requests = 0;
  answer: CollectorAnswer | undefined;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.requests += 1;
      if (this.answer) return this.answer(response);
      const body = Buffer.concat(chunks).toString();
      this.#take(request.url ?? '', body);
      this.headers.push(request.headers);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  static async open(port = 0): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    collector.#server.listen(port, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The spans of a trace once all that are named have come, each as often as it is named. */
  trace(traceId: string, ...names: readonly string[]): Promise<readonly CollectedSpan[]> {
    return eventually(`spans ${names.join(', ')}`, () => {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      const left = spans.reduce((rest, { name }) => without(rest, name), names);
      return left.length === 0 ? spans : undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(path: string, text: string): void {
    this.text += text;
    const body = JSON.parse(text) as Dict;
    if (path === '/v1/metrics') {
      this.points = only(only(body.resourceMetrics).scopeMetrics, 'metrics').flatMap(pointsOf);
      return;
    }
    assert.equal(path, '/v1/traces');
    const { resource, scopeSpans } = only(body.resourceSpans);
    assert.equal(attributesOf((resource as Dict).attributes)['service.name'], 'toolcrib');
    this.spans.push(...only(scopeSpans, 'spans').map(spanOf));
  }
}

/** The list less one item, if it has it. */
function without(items: readonly string[], item: string): readonly string[] {
  const at = items.indexOf(item);
  return at < 0 ? items : items.toSpliced(at, 1);
}

/** The single item of a list, or a list in it. */
function only(list: unknown): Dict;
function only(list: unknown, member: string): Dict[];
function only(list: unknown, member?: string): Dict | Dict[] {
  assert.ok(Array.isArray(list) && list.length === 1);
  return member === undefined ? list[0] : list[0][member];
}

function attributesOf(list: unknown): Record<string, string | number> {
  assert.ok(Array.isArray(list));
  return Object.fromEntries(
    list.map(({ key, value }) => {
      assert.equal(Object.keys(value).length, 1);
      assert.ok(typeof value.stringValue === 'string' || typeof value.doubleValue === 'number');
      return [key, value.stringValue ?? value.doubleValue];
    }),
  );
}

function spanOf(span: Dict): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, status } = span;
  assert.match(String(traceId), /^[\da-f]{32}$/);
  assert.match(String(spanId), /^[\da-f]{16}$/);
  if (parentSpanId !== undefined) assert.match(String(parentSpanId), /^[\da-f]{16}$/);
  assert.ok(typeof startTimeUnixNano === 'string' && typeof endTimeUnixNano === 'string');
  const kinds = { 1: 'internal', 2: 'server', 3: 'client' } as const;
  return {
    traceId: String(traceId),
    spanId: String(spanId),
    parentSpanId: parentSpanId as string | undefined,
    traceState: span.traceState as string | undefined,
    name: String(name),
    kind: kinds[kind as 1 | 2 | 3],
    startNano: BigInt(startTimeUnixNano),
    endNano: BigInt(endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    isError: (status as Dict | undefined)?.code === 2,
  };
}

function pointsOf(metric: Dict): CollectedPoint[] {
  const data = (metric.sum ?? metric.gauge ?? metric.histogram) as Dict | undefined;
  assert.ok(data && Array.isArray(data.dataPoints));
  if (metric.gauge === undefined) assert.equal(data.aggregationTemporality, 2);
  return data.dataPoints.map((point) => {
    assert.match(point.timeUnixNano, /^\d{19}$/);
    if (metric.histogram) checkBuckets(point);
    const value = metric.histogram ? Number(point.count) : point.asDouble;
    assert.equal(typeof value, 'number');
    return { metric: String(metric.name), labels: attributesOf(point.attributes), value };
  });
}

function checkBuckets({ count, explicitBounds, bucketCounts }: Record<string, string[]>): void {
  assert.equal(bucketCounts?.length, (explicitBounds?.length ?? 0) + 1);
  const sum = bucketCounts?.reduce((total, one) => total + Number(one), 0);
  assert.equal(String(sum), count);
}
