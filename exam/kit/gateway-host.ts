/**
 * A process in which gateways run one after the other, each by its command line and on a folder of its own: what one has loaded and
 * compiled serves the next. Most gateways of a quick examination live in one. As a program it takes the orders of its parent.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type * as errors from '../../src/base/errors.ts';
import type * as cli from '../../src/surfaces/cli/cli.ts';
import type { Launch, LaunchedGateway } from './gateway-program.ts';

/** The command line to run, or the wish that it ends. */
type Order = Omit<Launch, 'root'> | 'end';
type News = { readonly printed: string } | { readonly code: number };

const idle = new Map<string, ChildProcess[]>();

/** In a host that is free, or in a new one. Ended by force, a gateway takes its host with it. */
export function launchHosted({ root, ...order }: Launch): LaunchedGateway {
  const host = idle.get(root)?.pop() ?? startHost(root);
  const line = Promise.withResolvers<string>();
  const end = Promise.withResolvers<number | NodeJS.Signals>();
  let printed = '';
  let isOver = false;
  const over = (how: number | NodeJS.Signals) => {
    isOver = true;
    host.off('message', hear).off('exit', onExit);
    end.resolve(how);
  };
  const hear = (news: News) => {
    if ('code' in news) {
      over(news.code);
      idle.set(root, [...(idle.get(root) ?? []), host]);
      // Without a gateway it does not keep this process from ending, and it ends with it.
      host.unref();
      host.channel?.unref();
      return;
    }
    printed += news.printed;
    const [first, rest] = printed.split('\n');
    if (rest !== undefined) line.resolve(first ?? '');
  };
  const onExit = (code: number | null, signal: NodeJS.Signals | null) => over(code ?? signal ?? 'SIGKILL');
  host.ref();
  host.channel?.ref();
  host.on('message', hear).on('exit', onExit);
  host.send(order satisfies Order);
  return {
    pid: host.pid ?? 0,
    line: line.promise,
    exited: end.promise,
    kill: (signal) => {
      if (isOver) return;
      if (signal === 'SIGTERM') host.send('end' satisfies Order);
      else host.kill(signal);
    },
  };
}

/** Ends the processes in which no gateway runs any more. */
export async function endHosts(): Promise<void> {
  const hosts = [...idle.values()].flat();
  idle.clear();
  await Promise.all(
    hosts.map((host) => {
      host.ref();
      host.disconnect();
      return once(host, 'exit');
    }),
  );
}

function startHost(root: string): ChildProcess {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
  return fork(import.meta.filename, [root], { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** Until the parent leaves. */
async function serve(root: string): Promise<void> {
  const { GatewayError } = (await import(join(root, 'src/base/errors.ts'))) as typeof errors;
  const { runCli } = (await import(join(root, 'src/surfaces/cli/cli.ts'))) as typeof cli;
  const tell = (news: News) => void process.send?.(news);
  let ending = new AbortController();
  process.on('disconnect', () => process.exit());
  process.on('message', async (order: Order) => {
    if (order === 'end') return ending.abort(new GatewayError('CANCELLED', 'Stopped by SIGTERM.'));
    ending = new AbortController();
    const { logFile, ...line } = order;
    const log = openSync(logFile, 'a');
    const code = await runCli({
      ...line,
      signal: ending.signal,
      stdin: Readable.from([]),
      stdout: { write: (printed) => tell({ printed }) },
      stderr: { write: (text) => writeSync(log, text) },
    });
    closeSync(log);
    tell({ code });
  });
}

if (import.meta.main) await serve(process.argv[2] ?? '');
