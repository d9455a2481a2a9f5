/** Programs for scenarios: run through a door, with the parts of their answer. */

import assert from 'node:assert/strict';
import type { Agent } from './agents.ts';
import type { ModernAgent } from './modern-agent.ts';

type Dict = Record<string, unknown>;

export interface ChainCall {
  readonly tool: string;
  readonly ms: number;
  readonly ok: boolean;
  readonly cached: boolean;
  readonly count?: number;
  readonly error?: string;
}

/** An answer of `call_tool_chain`. */
export interface Chained {
  readonly text: string;
  readonly isError: boolean;
  readonly result: unknown;
  readonly logs: readonly string[];
  readonly calls: readonly ChainCall[];
  readonly truncated: boolean;
  /** All of the structured content. */
  readonly data: Dict;
}

export async function runChain(
  agent: Agent | ModernAgent,
  code: string,
  more: Dict = {},
  options: { readonly signal?: AbortSignal; readonly onprogress?: (progress: { progress: number }) => void } = {},
): Promise<Chained> {
  const args = { code, ...more };
  const answered =
    'client' in agent
      ? ((await agent.call('call_tool_chain', args, options)) as Dict)
      : (await agent.call('call_tool_chain', args)).result;
  const [block] = answered.content as { text: string }[];
  const data = (answered.structuredContent ?? {}) as Dict;
  return {
    text: block?.text ?? '',
    isError: answered.isError === true,
    result: data.result,
    logs: (data.logs ?? []) as string[],
    calls: (data.calls ?? []) as ChainCall[],
    truncated: data.truncated === true,
    data,
  };
}

/** The result of a program that must end well. */
export async function resultOf(agent: Agent | ModernAgent, code: string, more: Dict = {}): Promise<unknown> {
  const chained = await runChain(agent, code, more);
  assert.ok(!chained.isError, chained.text);
  return chained.result;
}
