/** Claude Code as a program: with a home of its own, a stand-in for its model, and nothing to reach outside. */

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../../src/base/json.ts';
import type { Packages } from '../kit/packages.ts';
import { type ProgramEnd, runProgram } from '../kit/run-program.ts';
import type { Scratch } from '../kit/scratch.ts';
import type { Model, Step, StepResult } from './model.ts';
import { costOf, type RequestCost } from './request-cost.ts';

export const claudePackage = { '@anthropic-ai/claude-code': '2.1.325' } as const;

/** How an agent's config names an MCP server. */
export type McpEntry = Readonly<Record<string, unknown>>;

export interface Asked {
  /** Tools as the agent lists them at its start. */
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  /** The agent's state of its server: `connected` and others. */
  readonly status: string;
  /** The protocol version that it agreed upon, from its own debug log. */
  readonly version: string;
  readonly results: readonly StepResult[];
  readonly turns: number;
  /** The cost of the gateway in the first request to the model, and in the last. */
  readonly cost: { readonly first: RequestCost; readonly last: RequestCost };
  /** The agent's output about MCP that sounds like trouble. */
  readonly complaints: readonly string[];
  readonly ms: number;
}

export interface Question {
  readonly server: McpEntry;
  readonly steps: readonly Step[];
  /** True if the agent may hide tools until they are asked for. */
  readonly defersTools: boolean;
}

/** The name under which the agent knows the gateway. */
export const serverName = 'toolcrib';

export class Claude {
  readonly #script: string;
  readonly #cwd: string;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #model: Model;
  #runs = 0;

  private constructor(packages: Packages, scratch: Scratch, model: Model, cwd: string) {
    // This script finds the binary for the platform, also where no install script has run.
    this.#script = packages.file('@anthropic-ai/claude-code', 'cli-wrapper.cjs');
    this.#cwd = cwd;
    this.#folder = scratch.folder;
    this.#model = model;
    this.#env = {
      ...scratch.env,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    };
  }

  static async open(packages: Packages, scratch: Scratch, model: Model): Promise<Claude> {
    const cwd = join(scratch.folder, 'project');
    await mkdir(cwd, { recursive: true });
    return new Claude(packages, scratch, model, cwd);
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ProgramEnd> {
    const options = { cwd: this.#cwd, env: { ...this.#env, ...env } };
    return runProgram(process.execPath, [this.#script, ...args], options);
  }

  /** One whole run of the agent: it starts, connects, is told by the model what to call, and ends. */
  async ask({ server, steps, defersTools }: Question): Promise<Asked> {
    this.#runs += 1;
    const debugFile = join(this.#folder, `debug-${this.#runs}.txt`);
    this.#model.play(steps);
    const mcp = ['--mcp-config', JSON.stringify({ mcpServers: { [serverName]: server } }), '--strict-mcp-config'];
    const allowed = ['--allowedTools', `mcp__${serverName}`, 'ToolSearch', 'ReadMcpResourceTool'];
    const output = ['--output-format', 'stream-json', '--verbose', '--debug-file', debugFile];
    const env = { ENABLE_TOOL_SEARCH: String(defersTools) };
    const end = await this.run(['-p', 'Do what the script says.', ...output, ...mcp, ...allowed], env);
    if (end.code !== 0) throw new Error(`The agent ended with ${end.code}: ${end.stderr || end.stdout}`);
    const debug = await readFile(debugFile, 'utf8');
    return { ...readStart(end.stdout), ...readDebug(debug), ...this.#figures(), ms: end.ms };
  }

  #figures(): Pick<Asked, 'results' | 'turns' | 'cost'> {
    const { turns, results } = this.#model;
    const [first, last] = [turns[0], turns.at(-1)];
    if (!first || !last) throw new Error('The agent never asked its model.');
    const cost = { first: costOf(first.request, serverName), last: costOf(last.request, serverName) };
    return { results, turns: turns.length, cost };
  }
}

function readStart(stdout: string): Pick<Asked, 'tools' | 'prompts' | 'status'> {
  const events = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
    .filter(isObject);
  const start = events.find((event) => event.subtype === 'init') ?? {};
  const servers = Array.isArray(start.mcp_servers) ? start.mcp_servers.filter(isObject) : [];
  const ours = servers.find((server) => server.name === serverName);
  return { tools: mcpNames(start.tools), prompts: mcpNames(start.slash_commands), status: String(ours?.status) };
}

function mcpNames(names: unknown): string[] {
  const prefix = `mcp__${serverName}__`;
  if (!Array.isArray(names)) return [];
  return names.map(String).flatMap((name) => (name.startsWith(prefix) ? [name] : []));
}

function readDebug(text: string): Pick<Asked, 'version' | 'complaints'> {
  const lines = text.split('\n').filter((line) => /MCP server|\[MCP\]/.test(line));
  const version = /"negotiatedProtocolVersion":"([^"]+)"/.exec(text)?.[1] ?? 'unknown';
  return { version, complaints: lines.filter((line) => /\[(?:WARN|ERROR)\]/.test(line)) };
}

/** The agent's name for a tool of the gateway: it puts its own name for the server before it and allows no dots. */
export function agentToolName(name: string): string {
  return `mcp__${serverName}__${name.replaceAll('.', '_')}`;
}

export function shortToolName(name: string): string {
  return name.replace(`mcp__${serverName}__`, '');
}
