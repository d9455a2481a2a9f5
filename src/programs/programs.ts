/** Programs that agents send: runs one for its agent, answers what it asks for, and tells what came of it. */

export { answerChain, chainOutcome } from './answer-chain.ts';
export type { ProgramLayer } from './run-chain.ts';
