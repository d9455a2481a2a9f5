/** A sandbox under fire: runs hostile programs beside a harmless one, and looks whether any of them left a trace or held up the process. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../src/base/clock.ts';
import { GatewayError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import {
  type ChainFailure,
  type ChainHost,
  type ChainLimits,
  type ChainReport,
  type GuestRequest,
  Sandbox,
} from '../../src/sandbox/sandbox.ts';
import { HANG_MS } from './processes.ts';

export interface Attack {
  readonly name: string;
  readonly code: string;
  readonly limits?: Partial<ChainLimits>;
  /** JSON text of the result. */
  readonly gives?: string;
  /** How it may fail. Without this and `gives` it may end either way. */
  readonly fails?: readonly ChainFailure['reason'][];
  /** Words of the failure or its hint. */
  readonly says?: RegExp;
  /** Calls that reach the host at most. */
  readonly mostCalls?: number;
}

/** A short time, because many attacks use it up, and all of a core meanwhile. */
const usual: ChainLimits = { timeoutMs: 150, memoryBytes: 32 * 1_024 * 1_024, maxCalls: 50, maxOutputBytes: 10_000 };
/** For programs that should end by themselves, also where a fresh thread has to start on a busy machine. */
const patientMs = HANG_MS;
/** Of the processor, so that a busy machine is not taken for a blocked loop. */
const longestTurnMs = 150;
const bystanderCode = `
  let done = 0;
  while (done < 15) {
    const answer = await servers.good.echo({ done });
    if (answer.done === done) done += 1;
    await sleep(5);
  }
  return { done, leaked: typeof globalThis.pwned, polluted: typeof ({}).pwned };
`;

export class AttackRange {
  readonly #sandbox = new Sandbox({ clock: systemClock, log: silentLog });
  readonly #canary = randomUUID();
  readonly #globals = new Set(Reflect.ownKeys(globalThis));
  /** A file that attacks try to write. */
  readonly markerFile = join(tmpdir(), `attack-${randomUUID()}`);
  #lateCalls = 0;
  #baselineBytes = 0;
  #longestTurnMs = 0;
  #heartbeat: NodeJS.Timeout | undefined;

  async open(): Promise<void> {
    process.env.ATTACK_CANARY = this.#canary;
    // With types, because what strips them stays in the memory of a thread.
    const code = 'const one: number = 1; await sleep(100); return one';
    const warmUp = () => this.run({ name: 'warm-up', code, limits: { timeoutMs: patientMs } });
    await Promise.all([warmUp(), warmUp()]);
    this.#baselineBytes = process.memoryUsage.rss();
    let last = process.threadCpuUsage();
    this.#heartbeat = setInterval(() => {
      const used = process.threadCpuUsage(last);
      this.#longestTurnMs = Math.max(this.#longestTurnMs, (used.user + used.system) / 1_000);
      last = process.threadCpuUsage();
    }, 10);
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#sandbox.close();
    delete process.env.ATTACK_CANARY;
  }

  /** The harmless program beside it must come to its end all the same. */
  async prove(attack: Attack): Promise<void> {
    const bystander = this.run({ name: 'bystander', code: bystanderCode, limits: { timeoutMs: patientMs } });
    const begun = performance.now();
    const { report, calls } = await this.run(attack);
    assert.ok(performance.now() - begun < limitsOf(attack).timeoutMs + HANG_MS, 'It went on after its time.');
    this.#checkReport(attack, report, calls);
    this.#checkTraces(report);
    const { report: beside } = await bystander;
    assert.equal(beside.resultJson, '{"done":15,"leaked":"undefined","polluted":"undefined"}', JSON.stringify(beside));
  }

  async run(attack: Attack): Promise<{ report: ChainReport; calls: GuestRequest[] }> {
    const calls: GuestRequest[] = [];
    let isOver = false;
    const host: ChainHost = {
      answer: (request, signal) => {
        if (isOver) this.#lateCalls += 1;
        calls.push(request);
        return answer(request, signal);
      },
    };
    const program = { code: attack.code, serverNames: Object.keys(tools), namesJson: JSON.stringify(tools) };
    const run = () => this.#sandbox.run(program, limitsOf(attack), host, new AbortController().signal);
    const report = await untilBegun(run);
    isOver = true;
    return { report, calls };
  }

  checkLoop(): void {
    assert.ok(
      this.#longestTurnMs < longestTurnMs,
      `The loop was held for ${Math.round(this.#longestTurnMs)} ms at once.`,
    );
  }

  /** Some time after the last program ended. */
  async checkLateCalls(): Promise<void> {
    await pause(300);
    assert.equal(this.#lateCalls, 0);
  }

  /** Without what the tests themselves have left behind, and once the threads that are too many have ended. */
  async checkMemory(mostGrowthBytes: number): Promise<void> {
    let growth = Number.POSITIVE_INFINITY;
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let tries = 0; tries < 150 && growth > mostGrowthBytes; tries += 1) {
      collect();
      await pause(100);
      growth = process.memoryUsage.rss() - this.#baselineBytes;
    }
    assert.ok(growth <= mostGrowthBytes, `The process has grown by ${Math.round(growth / 2 ** 20)} MiB.`);
  }

  #checkReport(attack: Attack, report: ChainReport, calls: readonly GuestRequest[]): void {
    const { failure } = report;
    const shown = JSON.stringify(report).slice(0, 1_000);
    if (attack.gives !== undefined) assert.equal(report.resultJson, attack.gives, shown);
    if (attack.fails !== undefined) assert.ok(failure && attack.fails.includes(failure.reason), shown);
    if (attack.says !== undefined) assert.match(`${failure?.message} ${failure?.hint ?? ''}`, attack.says);
    if (failure !== undefined) assert.match(failure.message, /\w{3}/, 'It must say what was wrong.');
    assert.ok((failure?.message.length ?? 0) < 10_000, 'The message is too long.');
    assert.ok(Buffer.byteLength(report.logs.join('')) <= usual.maxOutputBytes);
    const most = attack.mostCalls ?? limitsOf(attack).maxCalls;
    assert.ok(calls.filter(({ kind }) => kind === 'call').length <= most, `${calls.length} calls were made.`);
  }

  #checkTraces(report: ChainReport): void {
    const shown = JSON.stringify(report);
    for (const secret of [this.#canary, process.cwd(), 'file://', 'node_modules', process.execPath]) {
      assert.ok(!shown.includes(secret), `The report tells of ${secret}: ${shown.slice(0, 500)}`);
    }
    const fresh = Reflect.ownKeys(globalThis).filter((key) => !this.#globals.has(key));
    assert.deepEqual(fresh, []);
    for (const prototype of [
      Object.prototype,
      Array.prototype,
      Function.prototype,
      Promise.prototype,
      Error.prototype,
    ]) {
      assert.equal(Object.hasOwn(prototype, 'pwned'), false);
    }
    assert.equal(existsSync(this.markerFile), false);
  }
}

/** Runs a program again if it got no thread in time, as happens on a busy machine: nothing of it was done then. */
async function untilBegun(run: () => Promise<ChainReport>): Promise<ChainReport> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const hasBegun = !(error instanceof GatewayError) || error.code !== 'RATE_LIMITED';
      if (hasBegun || tries === 20) throw error;
    }
  }
}

function limitsOf({ gives, fails, limits }: Attack): ChainLimits {
  const mayTakeItsTime = gives === undefined && (fails?.includes('timeout') ?? true);
  return { ...usual, timeoutMs: mayTakeItsTime ? usual.timeoutMs : patientMs, ...limits };
}

const tools = { good: ['echo', 'fail', 'slow', 'big'] };

async function answer({ kind, input }: GuestRequest, signal: AbortSignal): Promise<string> {
  const { tool, arguments: given } = input as { tool?: string; arguments?: unknown };
  if (kind !== 'call') return '[]';
  if (tool === 'echo') return JSON.stringify(given ?? null);
  if (tool === 'big') return JSON.stringify('x'.repeat(1_000_000));
  if (tool === 'slow') return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (tool === 'fail')
    throw new GatewayError('TOOL_FAILED', 'The tool "good:fail" failed.', { hint: 'Do not call it.' });
  throw new GatewayError('TOOL_NOT_FOUND', `There is no tool "${String(tool)}".`, { data: { tool } });
}
