/** A terminal for tests: tmux, with a program in it whose keys are pressed and whose screen is read. */

import { execFile, execFileSync, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { childrenOf, eventually, HANG_MS } from '../kit/processes.ts';

const run = promisify(execFile);

export const tmuxAdvice = 'tmux is missing. Install it (Debian: apt install tmux).';

export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V']);
    return true;
  } catch {
    return false;
  }
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalOptions extends TerminalSize {
  /** As words, not as a line of a shell. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A file for every byte that reaches the terminal. */
  readonly record?: string;
}

let opened = 0;

export class Terminal implements AsyncDisposable {
  readonly #socket: string;
  #size: TerminalSize;
  #looker: Looker | undefined;

  private constructor(socket: string, size: TerminalSize) {
    this.#socket = socket;
    this.#size = size;
  }

  static async open({ columns, rows, command, env = {}, record }: TerminalOptions): Promise<Terminal> {
    opened += 1;
    const terminal = new Terminal(`toolcrib-test-${process.pid}-${opened}`, { columns, rows });
    const given = Object.entries({ LANG: 'C.UTF-8', TZ: 'UTC', ...env }).map(([name, value]) => `${name}=${value}`);
    // The state of the line before and after, and how the program ended; then it stays, so that it can be read.
    const look =
      'before=$(stty -g); "$@"; code=$?; [ "$before" = "$(stty -g)" ] && echo "ended $code, line as before"; cat';
    const script = record === undefined ? look : `read go; ${look}`;
    const size = ['-x', String(columns), '-y', String(rows)];
    const words = ['env', ...given, 'sh', '-c', script, 'sh', ...command];
    await terminal.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, ...words);
    if (record === undefined) return terminal;
    await terminal.#tmux('pipe-pane', `cat > '${record}'`);
    await terminal.press('Enter');
    return terminal;
  }

  get size(): TerminalSize {
    return this.#size;
  }

  /** Each by itself: `Down`, `Enter`, `C-k`, or a character. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#tmux('send-keys', key);
  }

  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
  }

  /** As a terminal does with the clipboard. */
  async paste(text: string): Promise<void> {
    await this.#tmux('set-buffer', '--', text);
    await this.#tmux('paste-buffer', '-p', '-d');
  }

  /** The text on the screen, without spaces at the ends of lines. */
  async read(): Promise<string> {
    const screen = await this.#look('capture-pane -p');
    return screen.replace(/[ \t]+$/gm, '').trimEnd();
  }

  /** The same with escape sequences for colours. */
  readColours(): Promise<string> {
    return this.#look('capture-pane -p -e');
  }

  /** Waits until the screen has it, and gives the screen. */
  async shows(text: string | RegExp): Promise<string> {
    let last = '';
    const look = async () => {
      last = await this.read();
      return (typeof text === 'string' ? last.includes(text) : text.test(last)) ? last : undefined;
    };
    return this.eventually(`the screen shows ${text}`, look).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}; it shows:\n${last}`);
    });
  }

  eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    return eventually(what, look, HANG_MS, 50);
  }

  async resize(columns: number, rows: number): Promise<void> {
    this.#size = { columns, rows };
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** The program in it; around it is a shell. */
  async pid(): Promise<number> {
    const shell = Number((await this.#tmux('display-message', '-p', '#{pane_pid}')).stdout);
    return eventually('the program runs', () => childrenOf(shell)[0]);
  }

  /** The process that reads the output of the program and draws the screen. */
  async readerPid(): Promise<number> {
    return Number((await this.#tmux('display-message', '-p', '#{pid}')).stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server').catch(() => {});
  }

  #look(command: string): Promise<string> {
    this.#looker ??= new Looker(this.#socket);
    return this.#looker.ask(command);
  }

  #tmux(...words: readonly string[]): Promise<{ stdout: string }> {
    return run('tmux', ['-L', this.#socket, ...words], { env: ownEnvironment() });
  }
}

/** Without that of the tests: `CI`, `NO_COLOR` and the like change what a program draws. Compiled code is shared by all programs. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE };
}

/** Looks at a terminal over and over through one process, in the control mode of tmux; it ends with the terminal. */
class Looker {
  readonly #ask: (command: string) => void;
  readonly #waiting: PromiseWithResolvers<string>[] = [];
  #isOver = false;

  constructor(socket: string) {
    const words = ['-L', socket, '-u', '-C', 'attach', '-f', 'ignore-size,no-output'];
    const { stdin, stdout } = spawn('tmux', words, { env: ownEnvironment(), stdio: ['pipe', 'pipe', 'ignore'] });
    this.#ask = (command) => stdin.write(`${command}\n`);
    let text = '';
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text = this.#take(text + chunk);
    });
    // The terminal has ended, which fails the questions.
    stdin.on('error', () => {});
    stdout.once('close', () => {
      this.#isOver = true;
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('The terminal has ended.'));
    });
  }

  ask(command: string): Promise<string> {
    const answer = Promise.withResolvers<string>();
    if (this.#isOver) answer.reject(new Error('The terminal has ended.'));
    else {
      this.#waiting.push(answer);
      this.#ask(command);
    }
    return answer.promise;
  }

  /** Answers come in order, each between two lines that end with 1; other lines are news. Gives what is not whole yet. */
  #take(text: string): string {
    let end = 0;
    for (const found of text.matchAll(/^%begin \d+ (\d+) 1\n([\s\S]*?)^%(?:end|error) \d+ \1 1\n/gm)) {
      this.#waiting.shift()?.resolve(found[2] ?? '');
      end = found.index + found[0].length;
    }
    return text.slice(end);
  }
}
