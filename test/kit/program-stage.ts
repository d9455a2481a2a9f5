/** A sandbox with a host made up for tests: it answers calls from a table and remembers what it was asked. */

import assert from 'node:assert/strict';
import { systemClock } from '../../src/base/clock.ts';
import { GatewayError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { type ChainLimits, type ChainReport, type GuestRequest, Sandbox } from '../../src/sandbox/sandbox.ts';

const tools: Readonly<Record<string, readonly string[]>> = {
  github: ['create_issue', 'list_issues', 'get_me', 'repos.get'],
  'my-files': ['read-file', 'list-folder'],
  weather: ['get_forecast'],
};
const issues = [
  { number: 1, title: 'Crash on start', labels: ['bug'] },
  { number: 2, title: 'Add a dark theme', labels: [] },
  { number: 3, title: 'Wrong total', labels: ['bug'] },
];
const usual: ChainLimits = {
  timeoutMs: 10_000,
  memoryBytes: 64 * 1_024 * 1_024,
  maxCalls: 100,
  maxOutputBytes: 50_000,
};

interface CallInput {
  readonly server?: string;
  readonly tool?: string;
  readonly toolKey?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export interface Played extends ChainReport {
  /** The result as a value. */
  readonly result: unknown;
  readonly asked: readonly GuestRequest[];
}

/** A program as a model writes it, and what becomes of it. */
export interface Shape {
  readonly name: string;
  readonly code: string;
  readonly gives?: unknown;
  /** Words of the failure's message and hint. */
  readonly says?: RegExp;
  readonly line?: number;
  readonly logs?: readonly string[];
  readonly notes?: RegExp;
}

export class ProgramStage {
  readonly #sandbox = new Sandbox({ clock: systemClock, log: silentLog });

  async play(code: string, limits: Partial<ChainLimits> = {}): Promise<Played> {
    const asked: GuestRequest[] = [];
    const host = {
      answer: async (request: GuestRequest) => {
        asked.push(request);
        const given = request.kind === 'call' ? answerCall(request.input as CallInput) : request;
        return JSON.stringify(given);
      },
    };
    const program = { code, serverNames: Object.keys(tools), namesJson: JSON.stringify(tools) };
    const report = await this.#sandbox.run(program, { ...usual, ...limits }, host, new AbortController().signal);
    return { ...report, result: report.resultJson === undefined ? undefined : JSON.parse(report.resultJson), asked };
  }

  /** A failure's line is compared with the code as it was sent. */
  async check(shape: Shape): Promise<void> {
    const { failure, result, logs, notes } = await this.play(shape.code);
    if (shape.says === undefined) {
      assert.equal(failure, undefined);
      assert.deepEqual(result, shape.gives);
      assert.deepEqual(logs, shape.logs ?? []);
      if (shape.notes !== undefined) assert.match(notes.join('\n'), shape.notes);
      return;
    }
    assert.match(`${failure?.message} ${failure?.hint ?? ''}`, shape.says);
    if (shape.line === undefined) return;
    assert.equal(failure?.line, shape.line);
    assert.equal(failure?.excerpt, shape.code.split('\n')[shape.line - 1]?.trim());
  }

  close(): Promise<void> {
    return this.#sandbox.close();
  }
}

function answerCall({ server, tool, toolKey, arguments: given = {} }: CallInput): unknown {
  const key = (toolKey ?? `${server}:${tool}`).replace(/^(\w+)(?:__|\.)/, '$1:');
  switch (key) {
    case 'github:list_issues':
      return { issues };
    case 'github:create_issue':
      if (typeof given.title === 'string') return { number: 4, ...given };
      throw trouble('ARGUMENTS_INVALID', 'title is missing.', key);
    case 'github:get_me':
      return { login: 'ada' };
    case 'github:repos.get':
      return { repo: given.name };
    case 'my-files:read-file':
    case 'my-files:read_file':
      return `text of ${given.path}`;
    case 'weather:get_forecast':
    case 'weather:getForecast':
      return { city: given.city, days: [{ high: 21 }] };
    default:
      throw trouble('TOOL_NOT_FOUND', `There is no tool "${key}".`, key);
  }
}

function trouble(code: 'ARGUMENTS_INVALID' | 'TOOL_NOT_FOUND', message: string, tool: string): GatewayError {
  return new GatewayError(code, message, { data: { tool } });
}
