/** `toolcrib status`: the running gateway, and what waits for its owner. */

import type { OutputOf } from '../../../admin/admin.ts';
import { minuteOf } from '../../../base/amounts.ts';
import { messageOf } from '../../../base/errors.ts';
import { noServersHint } from '../../../base/own-program.ts';
import { plural } from '../../../base/plural.ts';
import { printable } from '../../../base/text.ts';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { findLogFile } from '../log-tail.ts';
import { remarkOn } from '../render-server.ts';
import type { Style } from '../style.ts';
import { withAdmin } from '../with-admin.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the running gateway, and everything that waits for you',
  description: 'Exits with code 5 if no gateway is running for the data folder.',
  examples: [
    { line: 'status', meaning: 'Its address, data and log, the servers, and definitions and calls that wait.' },
  ],
  async run({ context }) {
    return withAdmin(context, async ({ admin, holder }) => {
      const isRunning = holder !== null;
      const facts = await admin.run('gateway.status', {});
      const servers = await admin.run('servers.list', {});
      const calls = await admin.run('approvals.list', {});
      // The rest is to be seen even where the store cannot be read.
      const { replicas, storeProblem } = await admin.run('gateway.replicas', {}).then(
        (rows) => ({ replicas: rows, storeProblem: null }),
        (error: unknown) => ({ replicas: [], storeProblem: messageOf(error) }),
      );
      const sum = (of: (row: (typeof servers)[number]) => number) => servers.reduce((all, row) => all + of(row), 0);
      const counts = {
        servers: servers.length,
        failedServers: servers.filter(({ state }) => state === 'failed').length,
        tools: sum(({ toolCount }) => toolCount),
        waitingDefinitions: sum(({ heldCount, changedCount }) => heldCount + changedCount),
        markedDefinitions: sum(({ markedCount }) => markedCount),
        waitingCalls: calls.length,
      };
      const logFile = await findLogFile(context.dataDir);
      const empty = servers.length === 0 ? [noServersHint] : [];
      const waiting = [...empty, ...remarkOn(servers), ...remarkOnCalls(calls.length)];
      return {
        data: {
          isRunning,
          ...facts,
          logFile,
          ...(isRunning ? {} : { pid: null, startedAt: null }),
          ...counts,
          replicas,
          storeProblem,
        },
        text: [
          isRunning ? headOf(facts) : noGateway,
          ...rowsOf({ ...facts, logFile }, counts, context.style),
          ...replicaLines(replicas, facts),
          ...(storeProblem === null ? [] : [`${printable(storeProblem)} See: toolcrib doctor`]),
          ...waiting,
        ].join('\n'),
        exitCode: isRunning ? exitCodes.ok : exitCodes.unreachable,
      };
    });
  },
});

type Facts = OutputOf<'gateway.status'>;

const noGateway = 'No gateway is running. Start it: toolcrib start';

function headOf({ version, pid, startedAt }: Facts): string {
  return `Toolcrib ${version} is running (process ${pid}), since ${minuteOf(startedAt)}.`;
}

function rowsOf(
  { url, hasFixedPort, dataDir, configFile, logFile }: Facts & { readonly logFile: string | null },
  counts: { readonly servers: number; readonly failedServers: number; readonly tools: number },
  style: Style,
): string[] {
  const failed = counts.failedServers === 0 ? '' : `; ${counts.failedServers} failed`;
  const rows: [string, string][] = [
    ...(url === null
      ? []
      : [['url', hasFixedPort === false ? `${url} (another port at the next start)` : url] as [string, string]]),
    ['servers', `${counts.servers}, with ${plural(counts.tools, 'tool')}${failed}`],
    ['data', dataDir],
    ['config', configFile ?? 'none'],
    ['log', logFile ?? 'none'],
  ];
  return rows.map(([name, value]) => `  ${style.faint(name.padEnd(9))}${value}`);
}

/** One gateway alone is described by the other lines. */
function replicaLines(replicas: OutputOf<'gateway.replicas'>, { isAuthOff }: Facts): string[] {
  if (replicas.length < 2) return [];
  const lines = replicas.map(({ url, version, startedAt, ...row }) => {
    const remarks = [
      ...(row.isThis ? ['this one'] : []),
      ...(row.isThis && isAuthOff ? ['no token needed'] : []),
      ...(row.hasSameKey ? [] : ['another key for secrets']),
      ...(row.hasSameKey && !row.hasSameConfig ? ['another config or other flags'] : []),
      ...(row.hasSameClock ? [] : ['clock differs']),
    ];
    const remark = remarks.length === 0 ? '' : ` (${remarks.join(', ')})`;
    return `  ${url}  ${version}, since ${minuteOf(startedAt)}${remark}`;
  });
  return [`${replicas.length} replicas share the store:`, ...lines];
}

function remarkOnCalls(count: number): string[] {
  if (count === 0) return [];
  return [`${plural(count, 'call')} ${count === 1 ? 'waits' : 'wait'} for your approval: toolcrib approvals`];
}
