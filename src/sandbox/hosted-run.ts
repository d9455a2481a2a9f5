/** One run as the gateway sees it: passes its requests on, keeps its log lines, and holds it to its limits once more from outside. */

import { setImmediate as turn } from 'node:timers/promises';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject, JsonLimitError, parseJson } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { limits as named } from '../config/config.ts';
import { cancelledCalls } from './cancelled-calls.ts';
import type { BridgeError } from './guest-contract.ts';
import {
  type ChainFailure,
  type ChainHost,
  type ChainLimits,
  type ChainReport,
  type GuestRequest,
  guestRequestKinds,
} from './sandbox.ts';
import type { RunEnd } from './thread-messages.ts';

interface Asked {
  readonly id: number;
  readonly request: GuestRequest;
}

export class HostedRun {
  readonly #limits: ChainLimits;
  readonly #host: ChainHost;
  readonly #log: Log;
  readonly #answer: (id: number, text: string) => void;
  readonly #cancel = new AbortController();
  readonly #waiting: Asked[] = [];
  readonly #lines: string[] = [];
  #reading: Promise<void> = Promise.resolve();
  #lineBytes = 0;
  #underWay = 0;
  #calls = 0;
  #questions = 0;
  #isOver = false;

  constructor(limits: ChainLimits, host: ChainHost, log: Log, answer: (id: number, text: string) => void) {
    this.#limits = limits;
    this.#host = host;
    this.#log = log;
    this.#answer = answer;
  }

  /** Long ones one by one, with turns of the loop between them: a program may send many at once. */
  requested(id: number, text: string): void {
    if (text.length <= named.chainShortRequestChars) return this.#take(id, text);
    this.#reading = this.#reading.then(() => turn()).then(() => this.#take(id, text));
  }

  logged(line: string): void {
    if (this.#isOver || this.#lines.length >= named.chainLogLines) return;
    this.#lineBytes += Buffer.byteLength(line);
    if (this.#lineBytes <= this.#limits.maxOutputBytes) this.#lines.push(line);
  }

  /** Whatever of the run is still under way is cancelled, and nothing of it is heard any more. */
  over(end: RunEnd, lostLogs: number): ChainReport {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#cancel.abort(new GatewayError('CANCELLED', 'The program that made the call has ended.'));
    return { ...end, logs: this.#lines, lostLogs };
  }

  /** The same, where it was ended from outside and could not say anything itself. */
  ended(failure: ChainFailure, lostLogs: number): ChainReport {
    const left = this.#underWay + this.#waiting.length;
    const notes = left === 0 ? [] : [cancelledCalls(left)];
    return this.over({ failure, notes }, lostLogs);
  }

  #take(id: number, text: string): void {
    if (this.#isOver) return;
    const request = this.#read(text);
    if ('message' in request) return this.#refuse(id, request);
    this.#waiting.push({ id, request });
    this.#passOn();
  }

  #read(text: string): GuestRequest | BridgeError {
    const invalid = (message: string): BridgeError => ({ code: 'ARGUMENTS_INVALID', message });
    if (text.length > named.chainRequestChars) return invalid('The request is too long.');
    let parsed: unknown;
    try {
      parsed = parseJson(text);
    } catch (error) {
      return invalid(error instanceof JsonLimitError ? error.message : 'The request is no JSON.');
    }
    if (!isObject(parsed)) return invalid('The request is no object.');
    const kind = guestRequestKinds.find((one) => one === parsed.kind);
    if (kind === undefined) return invalid('The request is of no known kind.');
    return this.#count(kind) ?? { kind, input: parsed.input };
  }

  #count(kind: GuestRequest['kind']): BridgeError | undefined {
    if (kind === 'call') this.#calls += 1;
    else this.#questions += 1;
    const isWithin = kind === 'call' ? this.#calls <= this.#limits.maxCalls : this.#questions <= named.chainQuestions;
    if (isWithin) return undefined;
    const most = kind === 'call' ? `${this.#limits.maxCalls} calls` : `${named.chainQuestions} questions`;
    return { code: 'RATE_LIMITED', message: `A program may make at most ${most}.` };
  }

  #passOn(): void {
    while (this.#underWay < named.chainCallsInFlight) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#underWay += 1;
      void this.#ask(next).finally(() => {
        this.#underWay -= 1;
        this.#passOn();
      });
    }
  }

  async #ask({ id, request }: Asked): Promise<void> {
    try {
      const text = await this.#host.answer(request, this.#cancel.signal);
      if (!this.#isOver) this.#answer(id, `{"ok":${text}}`);
    } catch (error) {
      if (!this.#isOver) this.#refuse(id, this.#describe(error));
    }
  }

  #refuse(id: number, error: BridgeError): void {
    this.#answer(id, JSON.stringify({ error }));
  }

  #describe(error: unknown): BridgeError {
    if (!(error instanceof GatewayError)) {
      this.#log.error('chains: a request of a program failed unexpectedly', { error: messageOf(error) });
      return { code: 'TOOL_FAILED', message: 'The gateway failed unexpectedly; its log says more.' };
    }
    const { code, message, hint, data } = error;
    const tool = typeof data?.tool === 'string' ? data.tool : undefined;
    return {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(tool === undefined ? {} : { tool }),
      ...(data === undefined || !hasJson(data) ? {} : { data }),
    };
  }
}

/** Facts beside an error are an extra: what cannot be written must not keep the error itself from its program. */
function hasJson(data: unknown): boolean {
  try {
    return JSON.stringify(data) !== undefined;
  } catch {
    return false;
  }
}
