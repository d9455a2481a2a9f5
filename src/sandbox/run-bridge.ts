/** The requests to the host, sleeps and log lines of a running program, in its thread and each within its bound. */

import type { BridgeError } from './guest-contract.ts';
import type { ChainLimits } from './sandbox.ts';
import type { FromThread, RunBounds } from './thread-messages.ts';
import type { GuestValue, VirtualMachine } from './virtual-machine.ts';

type Deferred = ReturnType<VirtualMachine['promise']>;

interface Request {
  readonly deferred: Deferred;
  readonly chars: number;
  readonly isCall: boolean;
}

export interface RunBridgeOptions {
  readonly run: number;
  readonly limits: ChainLimits;
  readonly bounds: RunBounds;
  readonly lostLogs: Int32Array;
  readonly post: (message: FromThread) => void;
  /** An answer has come in, so that the program may go on. */
  readonly wake: () => void;
  /** The program cannot go on. */
  readonly breakOff: (error: unknown) => void;
}

export class RunBridge {
  readonly #options: RunBridgeOptions;
  readonly #machine: VirtualMachine;
  readonly #cut: GuestValue;
  readonly #requests = new Map<number, Request>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** A promise that was settled before the machine took it, and can be released only after that. */
  #spent: GuestValue | undefined;
  #lastId = 0;
  #waitingChars = 0;
  #calls = 0;
  #questions = 0;
  #logLines = 0;
  #logBytes = 0;
  #refusedCalls = 0;

  /** Must run before anything of the program: takes built-in functions of the machine. */
  constructor(machine: VirtualMachine, options: RunBridgeOptions) {
    this.#machine = machine;
    this.#options = options;
    this.#cut = machine.evaluate('Function.prototype.call.bind(String.prototype.slice)', 'engine.js');
  }

  /** Requests that were sent and not answered. */
  get requestsUnderWay(): number {
    return this.#requests.size;
  }

  get callsUnderWay(): number {
    return [...this.#requests.values()].filter(({ isCall }) => isCall).length;
  }

  get isWaiting(): boolean {
    return this.#requests.size + this.#timers.size > 0;
  }

  /** Calls beyond those that the program may make. */
  get refusedCalls(): number {
    return this.#refusedCalls;
  }

  request(given: GuestValue | undefined): GuestValue {
    const deferred = this.#promise();
    const mistake = this.#mistakeIn(given);
    if (mistake !== undefined) return this.#settleNow(deferred, mistake);
    const text = (given as GuestValue).toString();
    const refusal = this.#refuse(text);
    if (refusal !== undefined) return this.#settleNow(deferred, refusal);
    this.#lastId += 1;
    this.#requests.set(this.#lastId, { deferred, chars: text.length, isCall: !isQuestion(text) });
    this.#waitingChars += text.length;
    this.#options.post({ kind: 'request', run: this.#options.run, id: this.#lastId, text });
    return deferred.handle;
  }

  answered(id: number, text: string): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    this.#requests.delete(id);
    this.#waitingChars -= request.chars;
    this.#passOn(() => this.#settle(request.deferred, text), request.deferred);
  }

  sleep(given: GuestValue | undefined): GuestValue {
    const deferred = this.#promise();
    if (this.#timers.size >= this.#options.bounds.timers) {
      const error = this.#machine.error(`At most ${this.#options.bounds.timers} timers can wait at once.`);
      deferred.reject(error);
      error.dispose();
      this.#spent = deferred.handle;
      return deferred.handle;
    }
    const asked = given?.isNumber ? given.toNumber() : 0;
    // Longer than the budget is as good as for ever; Node would fire at once for a number that it cannot count.
    const ms = Math.min(Math.max(Number.isNaN(asked) ? 0 : asked, 0), this.#options.limits.timeoutMs + 60_000);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#passOn(() => deferred.resolve(this.#machine.undefined), deferred);
    }, ms);
    this.#timers.add(timer);
    return deferred.handle;
  }

  log(level: GuestValue | undefined, given: GuestValue | undefined): GuestValue {
    const { bounds, limits, post, run } = this.#options;
    if (!given?.isString) return this.#machine.undefined;
    if (this.#logLines >= bounds.logLines || this.#logBytes >= limits.maxOutputBytes) return this.#loseLine();
    const line = signOf(level) + this.#bounded(given, bounds.logLineChars);
    const bytes = Buffer.byteLength(line);
    if (this.#logBytes + bytes > limits.maxOutputBytes) {
      // Shorter lines that follow are not kept either: they would seem to come right after the last one.
      this.#logBytes = limits.maxOutputBytes;
      return this.#loseLine();
    }
    this.#logBytes += bytes;
    this.#logLines += 1;
    post({ kind: 'log', run, line });
    return this.#machine.undefined;
  }

  /** Drops all answers and timers that are still to come. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#requests.clear();
  }

  /** Brings an answer into the machine, which may have no room or no time left for it. */
  #passOn(settle: () => void, deferred: Deferred): void {
    try {
      settle();
      deferred.handle.dispose();
      this.#options.wake();
    } catch (error) {
      this.#options.breakOff(error);
    }
  }

  #promise(): Deferred {
    this.#spent?.dispose();
    this.#spent = undefined;
    return this.#machine.promise();
  }

  #settleNow(deferred: Deferred, error: BridgeError): GuestValue {
    this.#settle(deferred, JSON.stringify({ error }));
    this.#spent = deferred.handle;
    return deferred.handle;
  }

  #settle(deferred: Deferred, text: string): void {
    const value = this.#machine.text(text);
    deferred.resolve(value);
    value.dispose();
  }

  #mistakeIn(given: GuestValue | undefined): BridgeError | undefined {
    if (!given?.isString) return { code: 'ARGUMENTS_INVALID', message: 'A request must be text.' };
    const { requestChars, waitingChars } = this.#options.bounds;
    const chars = given.length;
    if (chars > requestChars) {
      const message = `The arguments are ${chars} characters of JSON; at most ${requestChars} can be sent.`;
      return { code: 'ARGUMENTS_INVALID', message, hint: 'Send less at once.' };
    }
    if (this.#waitingChars + chars > waitingChars) {
      const message = `Calls that wait hold ${this.#waitingChars} characters of arguments; at most ${waitingChars} can wait at once.`;
      return { code: 'RATE_LIMITED', message, hint: 'Await earlier calls before making more.' };
    }
    return undefined;
  }

  #refuse(text: string): BridgeError | undefined {
    const { bounds, limits } = this.#options;
    if (!isQuestion(text)) {
      this.#calls += 1;
      if (this.#calls <= limits.maxCalls) return undefined;
      this.#refusedCalls += 1;
      const message = `A program may make at most ${limits.maxCalls} calls.`;
      return {
        code: 'RATE_LIMITED',
        message,
        hint: 'Ask for more in each call, or split the work into several programs.',
      };
    }
    this.#questions += 1;
    if (this.#questions <= bounds.questions) return undefined;
    return {
      code: 'RATE_LIMITED',
      message: `A program may make at most ${bounds.questions} searches and lookups beside its calls.`,
    };
  }

  #bounded(text: GuestValue, chars: number): string {
    const length = text.length;
    if (length <= chars) return text.toString();
    const start = this.#machine.call(this.#cut, text, this.#machine.number(0), this.#machine.number(chars));
    return start.consume((cut) => `${cut.toString()}… (${length} characters)`);
  }

  #loseLine(): GuestValue {
    const { lostLogs } = this.#options;
    lostLogs[0] = (lostLogs[0] ?? 0) + 1;
    return this.#machine.undefined;
  }
}

/** A long text is no level, and is not copied to find out. */
function signOf(level: GuestValue | undefined): string {
  const name = level?.isString && level.length <= 5 ? level.toString() : '';
  return name === 'warn' || name === 'error' ? `${name}: ` : '';
}

/** Every request counts as a call unless it plainly is something else; the gateway counts again when it reads it. */
function isQuestion(text: string): boolean {
  return /^\{"kind":"(?:search|info|types|keep|load)"/.test(text.slice(0, 40));
}
