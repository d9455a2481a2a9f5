/** From what was asked to the answer, for an agent and for a person at the command line. */

import type { Result } from '../../protocol/messages.ts';
import type { Asker } from '../call-tool.ts';
import type { EndpointContext } from '../endpoint.ts';
import { answer } from '../meta-tools/meta-tool.ts';
import { chainAnswer } from './chain-answer.ts';
import { chainError, chainTrouble } from './chain-trouble.ts';
import { readChainWish } from './chain-wish.ts';
import { runChain } from './run-chain.ts';

/** The answer to an agent. */
export async function answerChain(
  context: EndpointContext,
  args: Readonly<Record<string, unknown>>,
  asker: Asker,
): Promise<Result> {
  const wish = readChainWish(args, context.config());
  const end = await runChain(context, wish, asker);
  return end.report.failure
    ? chainTrouble(context, wish, end, end.report.failure)
    : answer(await chainAnswer(context.results, asker.principal, wish, end));
}

/** The same as data: a program that failed has an `error` with what happened before it. */
export async function chainOutcome(
  context: EndpointContext,
  args: Readonly<Record<string, unknown>>,
  asker: Asker,
): Promise<Record<string, unknown>> {
  const wish = readChainWish(args, context.config());
  const end = await runChain(context, wish, asker);
  if (!end.report.failure) return chainAnswer(context.results, asker.principal, wish, end);
  const { structuredContent } = await chainTrouble(context, wish, end, end.report.failure);
  const { code, message, hint } = chainError(end.report.failure, wish);
  return { error: { code, message, ...(hint === undefined ? {} : { hint }) }, ...(structuredContent as object) };
}
