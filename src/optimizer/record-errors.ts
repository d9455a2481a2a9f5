/** Errors about records that are missing or too many. */

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
  const whose =
    candidateId === undefined
      ? tool === undefined
        ? `server "${server}"`
        : `tool "${server}:${tool}"`
      : `candidate "${candidateId}"`;
  return new GatewayError('ARGUMENTS_INVALID', `There are no evaluation runs yet for ${whose}.`, {
    hint: 'Record them with record_eval_run, for the candidate and for "canonical".',
  });
}

export function unknownRecord(what: string, id: string, server: string, hint: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Server "${server}" has no ${what} "${id}".`, { hint });
}

/** `notes`: why the authors that there are wrote nothing. */
export function nothingToMine(message: string, notes: readonly string[]): GatewayError {
  const others =
    notes.length > 0
      ? notes.join(' ')
      : 'Other sources are the model of the calling agent (MCP sampling), a configured model ("llm") and an agent program; none of them is in use here.';
  return new GatewayError('ARGUMENTS_INVALID', message, {
    hint: `Write prompts with save_golden_prompts. ${others}`,
  });
}

export function tooManyRecords(what: string, { server, tool }: ToolName, most: number): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Tool "${server}:${tool}" can have at most ${most} ${what}.`);
}
