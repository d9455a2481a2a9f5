/** Every figure of this gateway, counted in memory since the start: for the page at /metrics, and for OpenTelemetry. */

import { performance } from 'node:perf_hooks';
import type { Json } from '../base/json.ts';
import { version } from '../base/own-program.ts';
import type { DoorFigures } from '../door/door.ts';
import type { ServerState, ServerStatus } from '../downstream/downstream.ts';
import { type Metric, metricOtlp, metricText } from '../metrics/metrics.ts';
import { stateOf } from '../tools/tools.ts';
import type { AdminContext } from './operation.ts';

export function metricsPage(context: AdminContext, door: DoorFigures): string {
  return metricText(gatewayMetrics(context, door));
}

/** The same figures in the form of OTLP. */
export function otlpMetrics(context: AdminContext, door: DoorFigures): readonly Json[] {
  const span = { startMs: Date.parse(context.about().startedAt), nowMs: context.clock.now() };
  return metricOtlp(gatewayMetrics(context, door), span);
}

function gatewayMetrics(context: AdminContext, door: DoorFigures): Metric[] {
  return [
    ...callMetrics(context),
    ...serverMetrics(context),
    ...searchMetrics(context),
    ...waitingMetrics(context),
    gauge('toolcrib_sessions', 'Open sessions of legacy agents.', door.sessions),
    gauge('toolcrib_streams', 'Open streams, of agents and dashboards.', door.streams),
    gauge('toolcrib_replicas', 'Gateways on the same store, this one included.', context.replicas.count),
    ...telemetryMetrics(context),
    ...processMetrics(context),
  ];
}

function callMetrics({ metrics }: AdminContext): Metric[] {
  // Percentiles of a server that nobody calls would be no numbers.
  const servers = [...metrics.counts.all()].filter(({ tools }) => tools.size > 0);
  return [
    {
      name: 'toolcrib_calls_total',
      type: 'counter',
      help: 'Calls of tools, by how they ended.',
      samples: servers.flatMap(({ server, tools }) =>
        [...tools].flatMap(([tool, outcomes]) =>
          Object.entries(outcomes)
            .filter(([, count]) => count > 0)
            .map(([outcome, value]) => ({ labels: { server, tool, outcome }, value })),
        ),
      ),
    },
    {
      name: 'toolcrib_call_duration_seconds',
      type: 'histogram',
      help: 'Duration of calls that reached the tool.',
      samples: servers.map(({ server, durations }) => ({ labels: { server }, value: durations })),
    },
  ];
}

function serverMetrics(context: AdminContext): Metric[] {
  const { downstream, catalog } = context;
  const names = downstream.specs().map(({ name }) => name);
  const states: Record<ServerState, number> = {
    configured: 0,
    installing: 0,
    connecting: 0,
    listing: 0,
    connected: 0,
    failed: 0,
    disabled: 0,
  };
  for (const name of names) states[stateOf(context, name)] += 1;
  const byServer = (name: string, help: string, read: (status: ServerStatus) => number) =>
    gaugeByServer(context, { name, help }, (server) => {
      const status = downstream.status(server);
      return status ? read(status) : 0;
    });
  return [
    {
      name: 'toolcrib_servers',
      type: 'gauge',
      help: 'Servers, by the state of their links.',
      samples: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
    },
    gauge('toolcrib_tools', 'Tools in the catalog.', catalog.snapshot.tools.size),
    byServer('toolcrib_breaker_open', '1 while a failing server is not tried.', (status) =>
      Number(status.isBreakerOpen),
    ),
    byServer(
      'toolcrib_calls_running',
      'Requests that the server works on.',
      (status) => status.callsInFlight - status.callsWaiting,
    ),
    byServer('toolcrib_calls_waiting', 'Requests that wait for a turn at the server.', (status) => status.callsWaiting),
    gaugeByServer(
      context,
      { name: 'toolcrib_definitions_waiting', help: 'Definitions that wait for a review.' },
      (server) => {
        const { heldCount, changedCount } = catalog.pins.countWaiting(server);
        return heldCount + changedCount;
      },
    ),
  ];
}

/** Servers without a label of their own are added up. */
function gaugeByServer(
  { downstream, metrics }: AdminContext,
  said: Pick<Metric, 'name' | 'help'>,
  read: (server: string) => number,
): Metric {
  const sums = new Map<string, number>();
  for (const { name } of downstream.specs()) {
    const label = metrics.counts.labelOf(name);
    sums.set(label, (sums.get(label) ?? 0) + read(name));
  }
  return { ...said, type: 'gauge', samples: [...sums].map(([server, value]) => ({ labels: { server }, value })) };
}

function searchMetrics({ search }: AdminContext): Metric[] {
  return [
    {
      name: 'toolcrib_search_duration_seconds',
      type: 'histogram',
      help: 'Duration of searches, by the mode that answered.',
      samples: [...search.durations].map(([mode, value]) => ({ labels: { mode }, value })),
    },
  ];
}

function waitingMetrics({ metrics, approvals, results }: AdminContext): Metric[] {
  const { queued, dropped } = metrics.status;
  return [
    gauge('toolcrib_approvals_waiting', 'Calls that wait for approval at this gateway.', approvals.waitingHere),
    gauge('toolcrib_rows_waiting', 'Rows of calls and of the audit that the store has not taken yet.', queued),
    counter('toolcrib_rows_lost_total', 'Rows that were dropped because the store refused them for too long.', dropped),
    gauge(
      'toolcrib_results_waiting',
      'Large results that only this gateway can read, because the store has not taken them yet.',
      results.unshared,
    ),
  ];
}

function telemetryMetrics({ telemetry }: AdminContext): Metric[] {
  const { sent, dropped } = telemetry.figures;
  return [
    counter('toolcrib_spans_sent_total', 'Spans that the OpenTelemetry collector took.', sent),
    counter('toolcrib_spans_dropped_total', 'Spans that were lost, because it did not take them.', dropped),
  ];
}

function processMetrics({ about }: AdminContext): Metric[] {
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    {
      name: 'toolcrib_build_info',
      type: 'gauge',
      help: 'Always 1; its labels tell the versions.',
      samples: [{ labels: { version, node: process.version }, value: 1 }],
    },
    counter('toolcrib_event_loop_busy_seconds_total', 'Time for which the event loop was not idle.', active / 1_000),
    counter('process_cpu_seconds_total', 'Processor time of this process.', (user + system) / 1_000_000),
    gauge('process_resident_memory_bytes', 'Memory of this process.', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'When it started, in Unix time.', Date.parse(about().startedAt) / 1_000),
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: 'gauge', help, samples: [{ value }] };
}

function counter(name: string, help: string, value: number): Metric {
  return { name, type: 'counter', help, samples: [{ value }] };
}
