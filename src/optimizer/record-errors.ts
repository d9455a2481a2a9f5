/** Errors about records that are missing or too many, each with its next step: by a tool for agents, by a command for the owner. */

import { GatewayError } from '../base/errors.ts';
import type { ToolName } from './optimizer.ts';

export function noRuns({
  server,
  tool,
  candidateId,
}: {
  server: string;
  tool?: string | undefined;
  candidateId?: string | undefined;
}): GatewayError {
  const address = tool === undefined ? server : `${server}:${tool}`;
  const whose = candidateId === undefined ? `"${address}"` : `candidate "${candidateId}"`;
  return new GatewayError('ARGUMENTS_INVALID', `There are no evaluation runs yet for ${whose}.`, {
    hint: 'Start some with run_evaluation, or record your own with record_eval_run, for the candidate and for "canonical".',
    ownerHint: `Measure it: toolcrib optimize run ${address}`,
  });
}

export function noPrompts(): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', 'There are no golden prompts to evaluate with.', {
    hint: 'Save some with save_golden_prompts.',
    ownerHint: 'Save some: toolcrib optimize prompts SERVER:TOOL --file FILE',
  });
}

export function noPrompt(id: string, server: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Server "${server}" has no golden prompt "${id}".`, {
    hint: 'Save it first with save_golden_prompts.',
    ownerHint: `List them: toolcrib optimize prompts ${server}`,
  });
}

export function noCandidate(id: string, server: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Server "${server}" has no candidate "${id}".`, {
    hint: 'Propose it first with propose_candidate, or use "canonical" for the server\'s own description.',
    ownerHint: `List them: toolcrib optimize candidates ${server}`,
  });
}

export function noJob(id: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `There is no job "${id}".`, {
    hint: 'run_evaluation and optimize answer with the id of their job.',
    ownerHint: 'List them: toolcrib optimize jobs',
  });
}

/** `notes`: why the authors that there are wrote nothing. */
export function nothingToMine(message: string, { server, tool }: ToolName, notes: readonly string[]): GatewayError {
  const first = 'Let agents search for the tool and call it, then try again';
  const model = notes.length > 0 ? notes.join(' ') : 'A model writes prompts too, if you configure one ("llm").';
  return new GatewayError('ARGUMENTS_INVALID', message, {
    hint: `${first}, or write prompts and save them with save_golden_prompts. ${model}`,
    ownerHint: `${first}, or save your own: toolcrib optimize prompts ${server}:${tool} --file FILE. ${model}`,
  });
}

export function tooManyRecords(what: string, { server, tool }: ToolName, most: number): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Tool "${server}:${tool}" can have at most ${most} ${what}.`);
}
