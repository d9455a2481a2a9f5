/** The contract of adapters: how one agent program is started on a prompt, and what its output means. */

import { isObject } from '../base/json.ts';

/** An MCP address, and the token for it. */
export interface ToolDoor {
  readonly url: string;
  readonly token: string;
}

/** The name under which agents know the door. */
export const doorName = 'toolcrib';
/** The variable that holds its token. */
export const tokenVariable = 'TOOLCRIB_DOOR_TOKEN';

export interface Preparation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By their paths in the home of the run. */
  readonly files: Readonly<Record<string, string>>;
}

/** One event of the output, as far as it says something. */
export interface Remark {
  /** Said by the agent, or the error of a tool. */
  readonly words?: string | undefined;
  readonly tokens?: number | undefined;
  /** Why the run is good for nothing. */
  readonly error?: string | undefined;
  /** True: the agent is done. */
  readonly isEnd?: boolean | undefined;
}

/** The prompt comes by the standard input. The agent gets no tools but those of the door: not even its own, which could read files or run commands. */
export interface AgentAdapter {
  prepare(home: string, door: ToolDoor | null): Preparation;
  read(event: Readonly<Record<string, unknown>>): Remark;
}

/** Words that stand for themselves. */
export function line(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

/** The error of a tool: what happened, without advice on what to do about it. */
export function toolError(text: string): string {
  return line(text.split('\n', 1)[0] ?? '');
}

/** The message of an error, whether it came as a string or as an object. */
export function errorText(error: unknown): string {
  const text = isObject(error) ? error.message : error;
  return typeof text === 'string' && text !== '' ? text : 'it reported an error without a reason';
}
