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

/** The useful parts of one event of the output. */
export interface Remark {
  /** The agent's words, or the error of a tool. */
  readonly words?: string | undefined;
  readonly tokens?: number | undefined;
  /** Why the run failed. */
  readonly error?: string | undefined;
  /** True: the agent is done. */
  readonly isEnd?: boolean | undefined;
}

/** The prompt goes to the standard input. The agent gets only the tools of the door. Its own tools are off, because they could read files or run commands. */
export interface AgentAdapter {
  prepare(home: string, door: ToolDoor | null): Preparation;
  read(event: Readonly<Record<string, unknown>>): Remark;
}

/** The text as a line of its own. */
export function line(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

/** The first line of a tool's error: what happened, without advice. */
export function toolError(text: string): string {
  return line(text.split('\n', 1)[0] ?? '');
}

/** The message of an error, whether it came as a string or as an object. */
export function errorText(error: unknown): string {
  const text = isObject(error) ? error.message : error;
  return typeof text === 'string' && text !== '' ? text : 'it reported an error without a reason';
}
