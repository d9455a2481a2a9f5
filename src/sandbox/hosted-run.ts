/** One run as the gateway sees it: passes its requests on, keeps its log lines, and enforces its limits once more from outside. */

import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject, JsonLimitError, parseJson } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { limits as named } from '../config/config.ts';
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
import { afterThis, type TurnPace } from './turn-pace.ts';

/** A request that waits for its turn, and is read only then: a program may send many at once. */
interface Asked {
  readonly id: number;
  readonly text: string;
  readonly isCall: boolean;
  readonly isLoad: boolean;
}

export interface HostedOptions {
  readonly limits: ChainLimits;
  readonly host: ChainHost;
  readonly log: Log;
  readonly pace: TurnPace;
  /** Sends an answer; `taken` is called when the thread has it. */
  readonly answer: (id: number, text: string) => void;
}

export class HostedRun {
  readonly #limits: ChainLimits;
  readonly #host: ChainHost;
  readonly #log: Log;
  readonly #pace: TurnPace;
  readonly #answer: (id: number, text: string) => void;
  readonly #cancel = new AbortController();
  readonly #waiting: Asked[] = [];
  readonly #lines: string[] = [];
  /** Characters of answers that the thread, which may be busy, has not taken yet, by request. */
  readonly #untaken = new Map<number, number>();
  readonly #loads = new Set<number>();
  #untakenChars = 0;
  #isBeginning = false;
  #lineBytes = 0;
  #underWay = 0;
  #calls = 0;
  #questions = 0;
  #isOver = false;
  #onQuiet: () => void = () => {};
  /** The end of a program that has its result, in case it runs out of time before it ends. */
  #given: RunEnd | undefined;

  constructor({ limits, host, log, pace, answer }: HostedOptions) {
    this.#limits = limits;
    this.#host = host;
    this.#log = log;
    this.#pace = pace;
    this.#answer = answer;
  }

  requested(id: number, text: string): void {
    if (this.#isOver) return;
    const isOf = (kind: string) => text.startsWith(`{"kind":"${kind}"`);
    this.#waiting.push({ id, text, isCall: isOf('call'), isLoad: isOf('load') });
    this.#passOn();
  }

  /** The thread has taken an answer, which no longer counts as waiting. */
  taken(id: number): void {
    this.#untakenChars -= this.#untaken.get(id) ?? 0;
    this.#untaken.delete(id);
    this.#loads.delete(id);
    this.#passOn();
  }

  /** The program has its result; work that it did not wait for goes on. */
  returned(calls: number, end: RunEnd): void {
    if (this.#isOver) return;
    this.#given = end;
    this.#host.returned?.(calls);
  }

  logged(line: string): void {
    if (this.#isOver || this.#lines.length >= named.chainLogLines) return;
    this.#lineBytes += Buffer.byteLength(line);
    if (this.#lineBytes <= this.#limits.maxOutputBytes) this.#lines.push(line);
  }

  /** Stops sending and hearing anything of the run. Resolves when its calls under way have ended, or were given up. */
  async over(end: RunEnd, lostLogs: number): Promise<ChainReport> {
    const report = this.#close(end, lostLogs);
    if (this.#underWay > 0 && !this.#cancel.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#onQuiet = resolve;
      });
    }
    return report;
  }

  /** The same for a run that was ended from outside: it could report nothing itself, and its calls under way are given up. */
  ended(failure: ChainFailure, lostLogs: number): ChainReport {
    const given = failure.reason === 'timeout' ? this.#given : undefined;
    const report = this.#close(given ?? { failure, notes: [] }, lostLogs);
    this.giveUp();
    return report;
  }

  /** Cancels the calls that are still under way. */
  giveUp(): void {
    this.#cancel.abort(new GatewayError('CANCELLED', 'The program that made the call has ended.'));
    this.#onQuiet();
  }

  #close({ refusedCalls = 0, ...end }: RunEnd, lostLogs: number): ChainReport {
    this.#isOver = true;
    const unsentCalls = this.#waiting.splice(0).filter(({ isCall }) => isCall).length + refusedCalls;
    return { ...end, logs: this.#lines, lostLogs, ...(unsentCalls === 0 ? {} : { unsentCalls }) };
  }

  #read(text: string): GuestRequest | BridgeError {
    const invalid = (message: string): BridgeError => ({ code: 'ARGUMENTS_INVALID', message });
    if (text.length > named.chainRequestChars) return invalid('The request is too long.');
    let parsed: unknown;
    try {
      parsed = parseJson(text);
    } catch (error) {
      return invalid(error instanceof JsonLimitError ? error.message : 'The request is not JSON.');
    }
    if (!isObject(parsed)) return invalid('The request is not an object.');
    const kind = guestRequestKinds.find((one) => one === parsed.kind);
    if (kind === undefined) return invalid('The kind of the request is unknown.');
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

  /** Starts one request after the other, so that the pace knows how long each took. */
  readonly #passOn = (): void => {
    if (this.#isBeginning || !this.#hasRoom) return;
    const mayLoad = this.#loads.size < named.chainLoadsInFlight;
    const at = this.#waiting.findIndex(({ isLoad }) => mayLoad || !isLoad);
    if (at === -1 || !this.#pace.hasTime(this.#passOn)) return;
    const [next] = this.#waiting.splice(at, 1);
    this.#isBeginning = true;
    this.#begin(next as Asked);
    afterThis(() => {
      this.#isBeginning = false;
      this.#passOn();
    });
  };

  /** Waiting answers take memory, and only the thread can take them. */
  get #hasRoom(): boolean {
    const inFlight = this.#underWay + this.#untaken.size;
    return inFlight < named.chainCallsInFlight && this.#untakenChars < named.chainAnswerChars;
  }

  #begin({ id, text, isLoad }: Asked): void {
    const request = this.#read(text);
    if ('message' in request) return this.#refuse(id, request);
    if (isLoad) this.#loads.add(id);
    this.#underWay += 1;
    void this.#ask(id, request).finally(() => {
      this.#underWay -= 1;
      if (this.#isOver && this.#underWay === 0) this.#onQuiet();
      this.#passOn();
    });
  }

  async #ask(id: number, request: GuestRequest): Promise<void> {
    try {
      const text = await this.#host.answer(request, this.#cancel.signal);
      if (!this.#isOver) this.#send(id, `{"ok":${text}}`);
    } catch (error) {
      if (!this.#isOver) this.#refuse(id, this.#describe(error));
    }
  }

  #refuse(id: number, error: BridgeError): void {
    this.#send(id, JSON.stringify({ error }));
  }

  #send(id: number, text: string): void {
    this.#untaken.set(id, text.length);
    this.#untakenChars += text.length;
    this.#answer(id, text);
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

/** The data of an error is an extra: a value without JSON must not keep the error itself from its program. */
function hasJson(data: unknown): boolean {
  try {
    return JSON.stringify(data) !== undefined;
  } catch {
    return false;
  }
}
