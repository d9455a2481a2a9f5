/** The session of a legacy agent: opened by its `initialize`, and opened again, unseen by the agent, when it is lost. */

import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { RpcMessage, RpcResponse } from '../../protocol/messages.ts';
import type { AgentOutlet } from './agent-outlet.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { DeliveryError, withResend } from './delivery-error.ts';
import { type AgentDoor, sendToGateway } from './exchange.ts';
import type { Flight } from './flight.ts';
import type { GatewayFinder } from './gateway-finder.ts';
import { type Live, sessionHeaders } from './live-session.ts';
import { Questions } from './questions.ts';
import { readMessages } from './read-messages.ts';
import { keepStanding } from './standing-stream.ts';

export interface BridgeContext {
  readonly gateway: GatewayFinder;
  readonly outlet: AgentOutlet;
  readonly clock: Clock;
  readonly log: Log;
}

const accept = 'application/json, text/event-stream';

export class BridgeSession {
  readonly questions = new Questions<Live>();
  readonly memory = new SessionMemory();
  readonly #context: BridgeContext;
  readonly #ending = new AbortController();
  /** Sessions whose standing stream was opened. */
  readonly #listening = new WeakSet<Live>();
  #live: Live | undefined;
  #count = 0;
  /** The agent's own `initialize` while it is under way. */
  #opening: Promise<void> | undefined;
  #healing: Promise<Live> | undefined;

  constructor(context: BridgeContext) {
    this.#context = context;
  }

  get hasBegun(): boolean {
    return this.memory.hello !== undefined || this.#opening !== undefined;
  }

  /** The agent says `initialize`. */
  open(flight: Flight): Promise<void> {
    const opening = withResend(() => this.#open(flight)).finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  /** The session to use; a lost one is opened again first. All who wait share that. */
  async ready(): Promise<Live> {
    await this.#opening?.catch(() => {});
    if (this.#live) return this.#live;
    const { hello } = this.memory;
    if (hello === undefined) return this.#newLive(await this.#context.gateway.ensure(this.#ending.signal));
    this.#healing ??= this.#heal(hello).finally(() => {
      this.#healing = undefined;
    });
    return this.#healing;
  }

  /** Sends a message on a session. Throws DeliveryError, and then knows what is lost. */
  async post(
    live: Live,
    body: string,
    options: { readonly signal: AbortSignal; readonly onSent?: () => void },
  ): Promise<IncomingMessage> {
    try {
      const headers = { ...sessionHeaders(live), accept };
      return await sendToGateway({ door: live.door, method: 'POST', headers, body, ...options });
    } catch (error) {
      if (error instanceof DeliveryError) this.#blame(error, live);
      throw error;
    }
  }

  /** Sends a message whose answer does not matter to the agent, and returns that answer if there is one. */
  async tell(live: Live, body: string): Promise<RpcResponse | undefined> {
    const response = await this.post(live, body, { signal: this.#briefly() });
    let answer: RpcResponse | undefined;
    await readMessages(response, {
      onMessage: async ({ message }) => {
        if (!('method' in message)) answer = message;
      },
    });
    return answer;
  }

  /** The agent is ready: from now on it hears what belongs to no request. */
  async begin(text: string): Promise<void> {
    const attempt = async () => {
      const live = await this.ready();
      // Not before: the `initialize` that this belongs to may only just have been answered.
      this.memory.ready = text;
      // A session that was opened again meanwhile knows already.
      if (this.#listening.has(live)) return;
      await this.tell(live, text);
      await this.#openStanding(live);
    };
    await withResend(attempt).finally(() => {
      this.memory.ready = text;
    });
  }

  async close(): Promise<void> {
    const live = this.#live;
    this.#ending.abort(new DeliveryError('unreached', 'The bridge is ending.'));
    if (live) await this.#end(live);
  }

  async #open(flight: Flight): Promise<void> {
    const { gateway, outlet } = this.#context;
    const door = await gateway.ensure(flight.signal);
    const before = this.#live;
    const response = await this.post(this.#newLive(door), flight.text, { signal: flight.signal });
    const answer = await outlet.relay(response, flight);
    const live = this.#liveOf(door, response, answer);
    if (!live) return;
    this.memory.restart(flight.text);
    this.#live = live;
    if (before) void this.#end(before);
  }

  /** Does what the agent did when it came, so that a new gateway knows as much of it as the old one did. */
  async #heal(hello: string): Promise<Live> {
    const { gateway, log } = this.#context;
    for (let tries = 1; ; tries += 1) {
      const door = await gateway.ensure(this.#ending.signal);
      try {
        const live = await this.#greet(door, hello);
        this.#live = live;
        void this.#watchAgain(live);
        log.info('The session with the gateway was opened again');
        return live;
      } catch (error) {
        const isGone = error instanceof DeliveryError && (error.canResend || error.kind === 'broken');
        if (!isGone || tries >= bridgeLimits.healTries) throw error;
        gateway.lost(door);
      }
    }
  }

  async #greet(door: AgentDoor, hello: string): Promise<Live> {
    const response = await this.post(this.#newLive(door), hello, { signal: this.#briefly() });
    let answer: RpcResponse | undefined;
    await readMessages(response, {
      onMessage: async ({ message }) => {
        if (!('method' in message)) answer = message;
      },
    });
    const live = this.#liveOf(door, response, answer);
    if (!live) {
      const reason = answer && 'error' in answer ? answer.error.message : 'no session';
      throw new DeliveryError('odd', `The gateway did not open the session again: ${reason}`);
    }
    const { ready, level } = this.memory;
    if (ready !== undefined) await this.tell(live, ready);
    if (level !== undefined) await this.tell(live, level);
    if (ready !== undefined) await this.#openStanding(live);
    return live;
  }

  /** In the background: to watch a resource, the gateway may have to start a server first. */
  async #watchAgain(live: Live): Promise<void> {
    for (const text of this.memory.watched) {
      await this.tell(live, text).catch((error) => {
        this.#context.log.warn('A resource could not be watched again', { error: messageOf(error) });
      });
      if (live.closing.signal.aborted) return;
    }
  }

  #liveOf(door: AgentDoor, response: IncomingMessage, answer: RpcResponse | undefined): Live | undefined {
    const id = response.headers['mcp-session-id'];
    if (!answer || !('result' in answer) || typeof id !== 'string') return undefined;
    const version = isObject(answer.result) ? answer.result.protocolVersion : undefined;
    this.#count += 1;
    return { ...this.#newLive(door), id, version: typeof version === 'string' ? version : undefined };
  }

  #newLive(door: AgentDoor): Live {
    return { door, id: undefined, version: undefined, number: this.#count, closing: new AbortController() };
  }

  /** Resolves when the stream is open, because a change that comes before would not be heard. */
  #openStanding(live: Live): Promise<void> {
    const { clock, outlet } = this.#context;
    this.#listening.add(live);
    return new Promise((resolve) => {
      const timer = clock.after(bridgeLimits.streamWaitMs, resolve);
      const onSettled = () => {
        timer.cancel();
        resolve();
      };
      const onMessage = (incoming: Parameters<Questions<Live>['translate']>[0]) =>
        outlet.pass(this.questions.translate(incoming, live));
      void keepStanding(live, clock, { onMessage, onSettled })
        .then((ended) => ended && this.#onGone(live, ended))
        .catch((error) => this.#context.log.warn('The stream of changes has ended', { error: messageOf(error) }))
        .finally(onSettled);
    });
  }

  /** The gateway went away while nothing was asked. Once there is one again, we go back to it, but we do not start one. */
  async #onGone(live: Live, error: DeliveryError): Promise<void> {
    this.#blame(error, live);
    if (error.kind !== 'session-lost') await this.#context.gateway.whenBack(this.#ending.signal).catch(() => {});
    if (!this.#ending.signal.aborted) await this.ready();
  }

  #blame(error: DeliveryError, live: Live): void {
    if (!error.canResend) return;
    if (error.kind !== 'session-lost') this.#context.gateway.lost(live.door);
    if (this.#live === live) this.#live = undefined;
    live.closing.abort(error);
    for (const text of this.questions.forget(live)) this.#context.outlet.say(text);
  }

  /** Ends a session politely, and does not insist. */
  async #end(live: Live): Promise<void> {
    live.closing.abort(new DeliveryError('unreached', 'The session was ended.'));
    this.questions.forget(live);
    if (live.id === undefined) return;
    const signal = AbortSignal.timeout(bridgeLimits.goodbyeMs);
    await sendToGateway({ door: live.door, method: 'DELETE', headers: sessionHeaders(live), signal }).then(
      (response) => response.resume(),
      () => {},
    );
  }

  #briefly(): AbortSignal {
    return AbortSignal.any([this.#ending.signal, AbortSignal.timeout(bridgeLimits.noteMs)]);
  }
}

class SessionMemory {
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

  /** The agent has started over. */
  restart(hello: string): void {
    this.hello = hello;
    this.ready = undefined;
    this.level = undefined;
    this.#watched.clear();
  }
}
