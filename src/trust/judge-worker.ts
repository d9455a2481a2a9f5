/** The thread in which definitions are judged: what servers wrote is read by many expressions, and nobody else is to wait for that. */

import { parentPort } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import { type JudgeOrder, judgeCases } from './judge-cases.ts';
import { scanDefinition } from './scan/scan.ts';
import { ReceivedNames, type SentNeighbours } from './sent-names.ts';
import type { PinStep } from './sighting.ts';

/** An order as it is sent: of the names around it those that the thread lacks. */
export interface SentOrder extends Omit<JudgeOrder, 'neighbours' | 'left'> {
  readonly neighbours: SentNeighbours;
}

export type JudgeReply = { readonly steps: readonly PinStep[] } | { readonly error: string };

// Expressions are compiled and models loaded at their first use, which takes far longer than using them: now, while servers are still
// being asked.
scanDefinition(
  { name: 'look', description: 'Looks at what there is to see.' },
  { server: '', ownNames: new Set(), others: new Map() },
);

const names = new ReceivedNames();

// `JudgeThread` is the only one that starts this file; it sends one order after the other.
parentPort?.on('message', (order: SentOrder) => parentPort?.postMessage(attempt(order)));

function attempt({ neighbours, ...order }: SentOrder): JudgeReply {
  try {
    return { steps: judgeCases({ ...order, neighbours: names.complete(neighbours) }) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
