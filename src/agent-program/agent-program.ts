/** Runs an agent program of the owner on one prompt: in a home of its own, with the tools of one door or with none. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { abortable, type Clock, sleep } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import { lastWords } from '../base/last-words.ts';
import { isSecretKey, redactText } from '../base/redact.ts';
import { printable } from '../base/text.ts';
import type { AgentName, Config } from '../config/config.ts';
import type { Downstream, ServerProcess } from '../downstream/downstream.ts';
import { type AgentAdapter, type Remark, type ToolDoor, tokenVariable } from './agent-adapter.ts';
import type { AgentHomes } from './agent-homes.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';

export type { ToolDoor } from './agent-adapter.ts';
export { AgentHomes } from './agent-homes.ts';
export { agentModel } from './agent-model.ts';

export interface AgentSettings {
  readonly agent: AgentName;
  /** The program and its first arguments; empty: the program of that name. */
  readonly command: readonly string[];
  /** Variables of the gateway's own environment that the program gets. */
  readonly env: readonly string[];
}

export interface AgentSurroundings {
  readonly downstream: Pick<Downstream, 'startProgram'>;
  readonly homes: AgentHomes;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

export interface AgentAnswer {
  /** Everything that the agent said, and the errors of its tools, without secrets. */
  readonly words: string;
  /** Tokens of its model, as the program counts them; 0 if it does not say. */
  readonly tokens: number;
}

const adapters: Readonly<Record<AgentName, AgentAdapter>> = { claude, codex, gemini };

/** A program that prints more is ended. */
const mostOutputChars = 16_777_216;
const mostErrorChars = 16_384;
/** Lines of its error output that are quoted. */
const quotedLines = 3;
/** Time for the last output of a program that has ended: its children may keep the pipe open for ever. */
const lastOutputMs = 500;

export class AgentProgram {
  readonly #settings: AgentSettings;
  readonly #surroundings: AgentSurroundings;

  constructor(settings: AgentSettings, surroundings: AgentSurroundings) {
    this.#settings = settings;
    this.#surroundings = surroundings;
  }

  /** Equal for the same program with the same settings. */
  get mark(): string {
    const { agent, command, env } = this.#settings;
    const plain = env.filter((name) => !isSecretKey(name)).map((name) => this.#surroundings.env[name] ?? null);
    return fingerprintOf([agent, command, env, plain]);
  }

  /** Runs one prompt, with the tools of a door or with none. Throws MODEL_FAILED if the program fails, or the signal's reason. By then its processes have ended and its home is gone. */
  async run(prompt: string, door: ToolDoor | null, signal: AbortSignal): Promise<AgentAnswer> {
    return this.#surroundings.homes.use(async (home) => {
      signal.throwIfAborted();
      const child = await this.#start(home, door);
      try {
        return await this.#converse(child, prompt, signal);
      } finally {
        await child.close();
      }
    }, signal);
  }

  async #start(home: string, door: ToolDoor | null): Promise<ServerProcess> {
    const { agent, command } = this.#settings;
    const [program = agent, ...first] = command;
    const { args, env, files } = adapters[agent].prepare(home, door);
    const cwd = join(home, 'work');
    for (const folder of [cwd, join(home, 'tmp')]) await mkdir(folder);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text, { mode: 0o600 });
    }
    const own = { ...homeVariables(home, this.#surroundings.env), ...env, ...this.#ownersVariables() };
    const token = door ? { [tokenVariable]: door.token } : {};
    const spec = { command: program, args: [...first, ...args], env: { ...own, ...token }, cwd };
    return this.#surroundings.downstream.startProgram(`The agent program "${agent}"`, spec).catch((error) => {
      const { hint } = error as GatewayError; // all that it throws
      throw new GatewayError('MODEL_FAILED', messageOf(error), { hint, cause: error });
    });
  }

  #ownersVariables(): Record<string, string> {
    const named = this.#settings.env.map((name) => [name, this.#surroundings.env[name]] as const);
    return Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }

  async #converse(child: ServerProcess, prompt: string, signal: AbortSignal): Promise<AgentAnswer> {
    const { clock } = this.#surroundings;
    const tooMuch = new AbortController();
    const within = AbortSignal.any([signal, tooMuch.signal]);
    const heard = new Transcript(adapters[this.#settings.agent], () =>
      tooMuch.abort(this.#failed(['printed too much'])),
    );
    let complaints = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => heard.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-mostErrorChars);
    });
    const drained = ended(child.stdout);
    // Not as an argument: a prompt must not be read as an option, nor show in the list of processes.
    child.stdin.end(prompt);
    const { code, signal: killedBy } = await abortable(child.exited, within);
    await Promise.race([drained, sleep(clock, lastOutputMs, within)]);
    const { words, tokens, error, isEnded } = heard.read();
    if (error !== null) throw this.#failed([error]);
    if (isEnded && code === 0) return { words: this.#masked(words), tokens };
    const how = code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`;
    throw this.#failed([how, ...lastWords(complaints, quotedLines)]);
  }

  #failed([what, ...lines]: readonly string[]): GatewayError {
    const quoted = lines.length === 0 ? '' : ` It said: ${lines.map(printable).join(' | ')}`;
    const why = printable(what ?? '').replace(/\.$/, '');
    const said = `The agent program "${this.#settings.agent}" failed: ${why}.${quoted}`;
    return new GatewayError('MODEL_FAILED', this.#masked(said), {
      hint: 'Run the program by hand to check it. If it lacks a key, name its variable in "optimize.agentEnv".',
    });
  }

  #masked(text: string): string {
    return redactText(text, Object.values(this.#ownersVariables()));
  }
}

/** The program that the owner allows; null: none. */
export function allowedAgent(
  { agent, agentCommand: command, agentEnv: env }: Config['optimize'],
  surroundings: AgentSurroundings,
): AgentProgram | null {
  return agent === null ? null : new AgentProgram({ agent, command, env }, surroundings);
}

/** Programs look for settings, credentials and caches below all of these. */
function homeVariables(home: string, { NO_PROXY, no_proxy }: NodeJS.ProcessEnv): Record<string, string> {
  const temporary = join(home, 'tmp');
  // The door is on this machine, whatever proxy the model is behind.
  const direct = ['127.0.0.1', NO_PROXY ?? no_proxy ?? ''].filter((host) => host !== '').join(',');
  return {
    HOME: home,
    USERPROFILE: home,
    APPDATA: home,
    LOCALAPPDATA: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local'),
    XDG_RUNTIME_DIR: temporary,
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
    NO_PROXY: direct,
    no_proxy: direct,
  };
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => stream.once('end', resolve).once('close', resolve));
}

/** The output of an agent, event by event; each is a line of JSON. */
class Transcript {
  readonly #adapter: AgentAdapter;
  readonly #onTooMuch: () => void;
  #size = 0;
  #line = '';
  #words = '';
  #tokens = 0;
  #error: string | null = null;
  #isEnded = false;

  constructor(adapter: AgentAdapter, onTooMuch: () => void) {
    this.#adapter = adapter;
    this.#onTooMuch = onTooMuch;
  }

  push(text: string): void {
    this.#size += text.length;
    if (this.#size > mostOutputChars) return this.#onTooMuch();
    const [first = '', ...more] = text.split('\n');
    this.#line += first;
    for (const line of more) {
      this.#hear(this.#line);
      this.#line = line;
    }
  }

  read() {
    this.#hear(this.#line);
    this.#line = '';
    const [words, tokens, error, isEnded] = [this.#words.trim(), this.#tokens, this.#error, this.#isEnded];
    return { words, tokens, error, isEnded };
  }

  #hear(line: string): void {
    const event = eventIn(line);
    const remark: Remark = event ? this.#adapter.read(event) : {};
    this.#words += remark.words ?? '';
    this.#tokens += remark.tokens ?? 0;
    this.#error ??= remark.error ?? null;
    this.#isEnded ||= remark.isEnd === true;
  }
}

/** null: other output of the program or of its launcher. */
function eventIn(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    const event: unknown = JSON.parse(line);
    return isObject(event) ? event : null;
  } catch {
    return null;
  }
}
