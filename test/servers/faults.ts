/** Faults of the process as a whole: how it starts, what it ignores, what it leaves behind, when it dies. */

import type { ServerState } from './server-state.ts';
import { defineTool, text } from './tool.ts';

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Runs everything that happens before the transport opens; resolves when it may. */
export async function startWithFaults(server: ServerState, flush: () => void): Promise<void> {
  const { modes } = server.settings;
  reportLife(server, flush);
  if (modes.stderrNoise !== undefined && modes.stderrNoise !== false) makeNoise(server);
  if (modes.exitAtStart !== undefined) {
    process.stderr.write('fatal: cannot start, the configuration is missing\n');
    server.crash('exitAtStart', modes.exitAtStart);
  }
  if (modes.crashAfterMs !== undefined) setTimeout(() => server.crash('crashAfterMs'), modes.crashAfterMs);
  if (modes.forkGrandchild !== undefined) await forkGrandchild(server, modes.forkGrandchild === 'own-group');
  const { listChangedStorm: storm } = modes;
  if (storm !== undefined) server.onListener = () => startStorm(server, storm);
  if (modes.startDelayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, modes.startDelayMs));
}

/** The end of standard input, which asks a server to leave. */
export function endOfInput(server: ServerState, flush: () => void): void {
  server.journal.write('stdin-end');
  if (server.settings.modes.ignoreStdinEnd === true) {
    setInterval(() => {}, 1 << 30);
    return;
  }
  for (const listen of server.listens) listen.finish();
  flush();
  process.exit(0);
}

function reportLife(server: ServerState, flush: () => void): void {
  const { name, transport, era, modes } = server.settings;
  server.journal.write('started', { name, transport, era, env: Object.keys(process.env).sort() });
  process.on('exit', (code) => server.journal.write('exit', { code }));
  for (const [signal, number] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      server.journal.write('signal', { signal });
      if (signal === 'SIGTERM' && modes.ignoreSigterm === true) return;
      for (const listen of server.listens) listen.finish();
      flush();
      process.exit(128 + number);
    });
  }
}

/** A helper process that ignores SIGTERM, as browsers and language servers behind real servers do. */
async function forkGrandchild(server: ServerState, hasOwnGroup: boolean): Promise<void> {
  const { spawn } = await import('node:child_process');
  const pipes = server.settings.modes.grandchildHoldsPipes === true ? 'inherit' : 'ignore';
  // An hour is for ever in a test, and still an end for one that a failed test leaves behind. The ignored signals
  // stay ignored across exec, so one small process is enough; descriptor 3 tells when they are.
  const script = 'trap "" TERM HUP INT; echo ready >&3; exec 3>&-; exec sleep 3600';
  const child = spawn('/bin/sh', ['-c', script], { detached: hasOwnGroup, stdio: ['ignore', pipes, pipes, 'pipe'] });
  await new Promise((resolve) => child.stdio[3]?.once('data', resolve));
  child.stdio[3]?.destroy();
  child.unref();
  server.journal.write('grandchild', { grandchildPid: child.pid, group: hasOwnGroup ? 'own-group' : 'same-group' });
}

/** Lines that a log must survive: colours, forged records, direction marks, length, bad UTF-8, and a secret. */
function makeNoise(server: ServerState): void {
  const { stderrNoise } = server.settings.modes;
  const secretEnv = (typeof stderrNoise === 'object' ? stderrNoise.secretEnv : undefined) ?? 'TEST_SECRET';
  const lines = [
    `${server.settings.name} starting`,
    '\u001b[31mERROR\u001b[0m \u001b]52;c;aGVsbG8=\u0007 \u001b[2Jcleared',
    'first half\r{"level":"info","msg":"forged"}',
    'right to left: \u202Egnp.exe',
    `connecting with token ${process.env[secretEnv] ?? 'none'}`,
    'y'.repeat(100_000),
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.stderr.write(Buffer.from([0xff, 0xfe, 0x80, 0x0a]));
}

/** Sends `count` list_changed notifications, spread evenly; `changing` makes each of them true. */
export function startStorm(
  server: ServerState,
  storm: { readonly count: number; readonly overMs: number; readonly changing?: boolean },
): void {
  server.onListener = () => {};
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(storm.count, Math.ceil((storm.count * (performance.now() - startedAt)) / storm.overMs));
    for (; sent < due; sent += 1) {
      const tool = defineTool({ name: 'storm', description: `Revision ${sent}.` }, () => text('calm'));
      if (storm.changing === true) server.tools.set('storm', tool);
      server.listChanged('tools');
    }
    if (sent < storm.count) return;
    clearInterval(timer);
    server.journal.write('storm-done', { sent });
  }, 5);
}
