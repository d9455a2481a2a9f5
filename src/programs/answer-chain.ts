/** From what was asked to the answer, for an agent and for a person at the command line. */

import { isObject } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';
import { type Asker, answer, type Uses } from '../tools/tools.ts';
import { chainAnswer } from './chain-answer.ts';
import { chainError, chainTrouble } from './chain-trouble.ts';
import { readChainWish } from './chain-wish.ts';
import type { ProgramLayer } from './run-chain.ts';
import { runChain } from './run-chain.ts';
import { showMedia } from './show-media.ts';

/** The answer to an agent. */
export async function answerChain(
  layers: Uses<ProgramLayer>,
  args: Readonly<Record<string, unknown>>,
  asker: Asker,
): Promise<Result> {
  const wish = readChainWish(args, layers.config());
  const end = await runChain(layers, wish, asker);
  if (end.report.failure) return chainTrouble(layers, wish, end, end.report.failure);
  const { end: shown, blocks } = showMedia(end);
  const data = await chainAnswer(layers.results, asker.principal, wish, shown);
  const result = answer(data);
  const links = asker.agent.knowsLinks ? linksTo(data) : [];
  return { ...result, content: [...(result.content as unknown[]), ...blocks, ...links] };
}

/** To the result, where it was kept. */
function linksTo({ result }: Record<string, unknown>): unknown[] {
  if (!isObject(result) || typeof result.read !== 'string' || typeof result.kept !== 'string') return [];
  const name = 'result of the program';
  return [{ type: 'resource_link', uri: result.kept, name, mimeType: 'text/plain', size: result.bytes }];
}

/** The same for a person, as data and with all of the result: a program that failed has an `error` with what happened before it. */
export async function chainOutcome(
  layers: Uses<ProgramLayer>,
  args: Readonly<Record<string, unknown>>,
  asker: Asker,
): Promise<Record<string, unknown>> {
  const wish = readChainWish(args, layers.config(), 'hand');
  const end = await runChain(layers, wish, asker);
  if (!end.report.failure) return chainAnswer(layers.results, asker.principal, wish, end);
  const { structuredContent } = await chainTrouble(layers, wish, end, end.report.failure);
  const { code, message, hint } = chainError(end.report.failure, wish);
  return { error: { code, message, ...(hint === undefined ? {} : { hint }) }, ...(structuredContent as object) };
}
