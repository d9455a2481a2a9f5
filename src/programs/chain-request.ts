/** A request to run a program: the code, and limits within those of the owner. */

import { GatewayError } from '../base/errors.ts';
import { type Config, limits } from '../config/config.ts';

/** The reader of the answer: an agent, or a person at the command line. */
type ChainReader = 'agent' | 'hand';

export interface ChainRequest {
  readonly code: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly reader: ChainReader;
  /** The owner's limits. */
  readonly allowed: Pick<Config['chains'], 'timeoutMs' | 'maxCalls' | 'memoryMb'>;
  /** Notes on arguments that were limited. */
  readonly notes: readonly string[];
}

const form = 'call_tool_chain takes: code, timeoutMs?, maxOutputBytes?';

/** Throws ARGUMENTS_INVALID, or TOOL_DISABLED where the owner has switched programs off. */
export function readChainRequest(
  args: Readonly<Record<string, unknown>>,
  { chains }: Config,
  reader: ChainReader = 'agent',
): ChainRequest {
  if (!chains.enabled) {
    throw new GatewayError('TOOL_DISABLED', 'Programs are switched off in this gateway (chains.enabled is false).', {
      hint: 'Call the tools one by one.',
    });
  }
  const { code } = args;
  // The reader of programs reports empty code.
  if (typeof code !== 'string') throw bad('"code" must be a program: JavaScript or TypeScript, as a text');
  const notes: string[] = [];
  const flag = reader === 'hand' ? '--timeout' : 'timeoutMs';
  const timeoutMs = atMost(args.timeoutMs, flag, chains.timeoutMs, notes);
  // A person has room for all of it, and no context to fill.
  const most = reader === 'hand' ? limits.chainOutputBytesByHand : chains.maxOutputBytes;
  const wanted = atMost(args.maxOutputBytes, 'maxOutputBytes', most, notes);
  const least = limits.chainLeastOutputBytes;
  if (wanted < least && wanted < most) notes.push(`maxOutputBytes is ${least}, the least that an answer takes.`);
  return { code, timeoutMs, maxOutputBytes: Math.max(wanted, least), reader, allowed: chains, notes };
}

function atMost(value: unknown, name: string, most: number, notes: string[]): number {
  if (value === undefined || value === null) return most;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 1)
    throw bad(`"${name}" must be a number of at least 1`);
  if (number > most) notes.push(`${name} is ${most}, the most that the owner of this gateway allows.`);
  return Math.min(Math.floor(number), most);
}

function bad(what: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `The program was not run: ${what}.`, { hint: form });
}
