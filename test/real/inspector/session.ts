/** The Inspector's command line that keeps a connection open: for completions, which its one-shot commands cannot ask for. */

import { isObject } from '../../../src/base/json.ts';
import { type ProgramEnd, type ProgramOptions, runProgram } from '../kit/run-program.ts';

export interface SessionTarget {
  /** The script of the command line. */
  readonly script: string;
  readonly url: string;
  readonly token: string;
  readonly era: string;
  readonly options: ProgramOptions;
}

export class InspectorSession implements AsyncDisposable {
  readonly #target: SessionTarget;

  private constructor(target: SessionTarget) {
    this.#target = target;
  }

  static async open(target: SessionTarget): Promise<InspectorSession> {
    const session = new InspectorSession(target);
    const header = ['--header', `Authorization: Bearer ${target.token}`];
    await session.#run(['connect', '--transport', 'http', '--era', target.era, ...header, '--', target.url]);
    return session;
  }

  /** The values that are offered for an argument of a prompt or template. */
  async complete(
    ref: { readonly type: string; readonly name: string },
    argument: string,
    value: string,
  ): Promise<string[]> {
    const of = ['--complete-ref-type', ref.type, '--complete-ref', ref.name, '--complete-arg-name', argument];
    const { stdout } = await this.#run(['prompts/complete', ...of, '--complete-arg-value', value]);
    const answer: unknown = JSON.parse(stdout);
    const completion = isObject(answer) && isObject(answer.completion) ? answer.completion : answer;
    if (!isObject(completion) || !Array.isArray(completion.values)) throw new Error(`no values in ${stdout}`);
    return completion.values.map(String);
  }

  /** Ends the program that holds the connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run(['daemon', 'stop']);
  }

  async #run(args: readonly string[]): Promise<ProgramEnd> {
    const { script, era, options } = this.#target;
    // Nothing is to be kept beyond this run.
    const env = { ...options.env, MCP_INSPECTOR_SECRET_STORE: 'memory' };
    const command = [script, '--format', 'json', '--connection', era, ...args];
    const end = await runProgram(process.execPath, command, { ...options, env });
    if (end.code !== 0) throw new Error(`${args[0]} ended with ${end.code}: ${end.stderr || end.stdout}`);
    return end;
  }
}
