/**
 * Questions of servers to the agent (elicitation, sampling) in a legacy session. Each question belongs to the session that asked
 * it: an answer that comes after that session was lost must not reach another question of the same name.
 */

import { notification, type RequestId, type RpcResponse } from '../../protocol/messages.ts';
import type { Incoming } from './read-messages.ts';

/** A session, as far as questions are concerned. */
export interface AskingSession {
  /** 1 for the first session; later ones get their questions renamed. */
  readonly number: number;
}

interface Question<A> {
  readonly asker: A;
  /** Its id in the session. */
  readonly id: RequestId;
}

export class Questions<A extends AskingSession> {
  /** By the id that the agent knows. */
  readonly #open = new Map<RequestId, Question<A>>();

  /** The message as the agent gets it: a question, or word that one is no longer asked. */
  translate(incoming: Incoming, asker: A): Incoming {
    const { message, kind } = incoming;
    if (!('method' in message)) return incoming;
    if (kind === 'request' && 'id' in message) {
      const id = nameFor(message.id, asker);
      this.#open.set(id, { asker, id: message.id });
      return id === message.id ? incoming : rewritten(incoming, { ...message, id });
    }
    const requestId = message.params?.requestId as RequestId | undefined;
    if (message.method !== 'notifications/cancelled' || requestId === undefined) return incoming;
    const id = nameFor(requestId, asker);
    this.#open.delete(id);
    return id === requestId
      ? incoming
      : rewritten(incoming, { ...message, params: { ...message.params, requestId: id } });
  }

  isOpen(id: RequestId): boolean {
    return this.#open.has(id);
  }

  /** The session that an answer belongs to, with the answer in its words; undefined when nobody waits for it. */
  take(answer: RpcResponse): { readonly asker: A; readonly answer: RpcResponse } | undefined {
    const question = answer.id === null ? undefined : this.#open.get(answer.id);
    if (!question || answer.id === null) return undefined;
    this.#open.delete(answer.id);
    return { asker: question.asker, answer: { ...answer, id: question.id } };
  }

  /** Forgets the questions of a session that is gone; returns the messages about that for the agent. */
  forget(asker: A): string[] {
    const told: string[] = [];
    for (const [id, question] of this.#open) {
      if (question.asker !== asker) continue;
      this.#open.delete(id);
      const reason = 'The connection to the gateway was lost.';
      told.push(JSON.stringify(notification('notifications/cancelled', { requestId: id, reason })));
    }
    return told;
  }
}

/** Sessions number their questions from one; a later session must not repeat what the agent has heard. */
function nameFor(id: RequestId, asker: AskingSession): RequestId {
  return asker.number === 1 ? id : `${id}/${asker.number}`;
}

function rewritten(incoming: Incoming, message: Incoming['message']): Incoming {
  return { ...incoming, message, text: JSON.stringify(message) };
}
