/** What an agent has told its session and would have to tell a new one. */

import type { RpcMessage } from '../../protocol/messages.ts';
import { bridgeLimits } from './bridge-limits.ts';

export class SessionMemory {
  /** The agent's `initialize`, as it wrote it. */
  hello: string | undefined;
  /** The agent's `notifications/initialized`. */
  ready: string | undefined;
  /** The agent's last `logging/setLevel`. */
  level: string | undefined;
  readonly #watched = new Map<string, string>();

  /** Its subscriptions, as it wrote them. */
  get watched(): readonly string[] {
    return [...this.#watched.values()];
  }

  /** A request that the gateway has fulfilled. */
  learn(message: RpcMessage, text: string): void {
    if (!('method' in message)) return;
    const uri = String(message.params?.uri);
    if (message.method === 'logging/setLevel') this.level = text;
    else if (message.method === 'resources/unsubscribe') this.#watched.delete(uri);
    else if (message.method === 'resources/subscribe' && this.#watched.size < bridgeLimits.maxWatched) {
      this.#watched.set(uri, text);
    }
  }

  /** The agent has begun anew. */
  restart(hello: string): void {
    this.hello = hello;
    this.ready = undefined;
    this.level = undefined;
    this.#watched.clear();
  }
}
