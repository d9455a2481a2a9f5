/** Runs one program in its thread: reads it, starts a virtual machine, keeps it going until it ends, and says how it ended. */

import { messageOf } from '../base/errors.ts';
import { explainFailure } from './explain-failure.ts';
import {
  bodyClosing,
  bodyOpening,
  type GuestError,
  type Program,
  type ProgramMistake,
  programFile,
} from './guest-contract.ts';
import { readProgram } from './read-program/read-program.ts';
import type { GuestHandles, MachineOwner, ReadyMachine } from './ready-machine.ts';
import { RunBridge } from './run-bridge.ts';
import { endedByMachine, endedByProgram, neverSettled, outOfMemory, overdue, RunEnded } from './run-ended.ts';
import type { ChainFailure } from './sandbox.ts';
import type { FromThread, RunEnd, RunOrder, ThreadData } from './thread-messages.ts';
import { type GuestValue, Overdue, type VirtualMachine } from './virtual-machine.ts';

/** Errors and notes of the prelude are far shorter, unless a program has found a way to meddle with them. */
const longestTextChars = 64 * 1_024;

/** Rejections that are remembered until somebody catches them. */
const mostUncaught = 100;

/** Timers may fire a little early, and a run that wakes must find that its time is over. */
const timerSlackMs = 2;

/** A machine that suits the order, for it alone. */
type TakeMachine = (order: RunOrder) => Promise<ReadyMachine>;

export class ChainRun {
  readonly #order: RunOrder;
  readonly #data: ThreadData;
  readonly #takeMachine: TakeMachine;
  readonly #post: (message: FromThread) => void;
  readonly #deadline: number;
  readonly #notes: string[] = [];
  #machine: VirtualMachine | undefined;
  #bridge: RunBridge | undefined;
  #entry: GuestHandles | undefined;
  /** Promises that were rejected and that nobody has caught so far, by what tells them apart while they are held. */
  readonly #uncaught = new Map<number, { readonly promise: GuestValue; readonly reason: GuestValue }>();
  #hasGiven = false;
  #wake: () => void = () => {};
  #broken: unknown;

  constructor(order: RunOrder, data: ThreadData, takeMachine: TakeMachine, post: (message: FromThread) => void) {
    this.#order = order;
    this.#data = data;
    this.#takeMachine = takeMachine;
    this.#post = post;
    this.#deadline = performance.now() + order.leftMs;
  }

  get number(): number {
    return this.#order.run;
  }

  get machineBytes(): number {
    return this.#machine?.bytes ?? 0;
  }

  /** Never rejects. */
  async end(): Promise<RunEnd> {
    const deadline = setTimeout(() => this.#wake(), this.#order.leftMs + timerSlackMs);
    try {
      return await this.#end();
    } finally {
      clearTimeout(deadline);
      this.#bridge?.close();
    }
  }

  answered(id: number, text: string): void {
    this.#bridge?.answered(id, text);
  }

  drop(): void {
    this.#machine?.drop();
  }

  async #end(): Promise<RunEnd> {
    const program = this.#read();
    if ('failure' in program) return { failure: program.failure, notes: [] };
    this.#notes.push(...program.notes);
    try {
      const resultJson = await this.#result(program);
      this.#hasGiven = true;
      if (program.resultNote !== undefined) this.#notes.push(program.resultNote);
      this.#noteUncaught();
      return this.#given(resultJson);
    } catch (error) {
      return { failure: this.#explain(this.#endedBy(error), program), ...this.#told() };
    }
  }

  #read(): Program | ProgramMistake {
    try {
      return readProgram(this.#order.program.code);
    } catch (error) {
      // The parsers give up in their own ways where brackets are nested without end.
      const message = `The code could not be read: ${messageOf(error)}.`;
      return { failure: { reason: 'syntax', name: 'SyntaxError', message } };
    }
  }

  #explain({ reason, errorJson }: RunEnded, program: Program): ChainFailure {
    const { serverNames, namesJson } = this.#order.program;
    try {
      return explainFailure({ reason, errorJson, serverNames, namesJson }, program);
    } catch (error) {
      return {
        reason,
        name: 'Error',
        message: `The program failed, and its error could not be read: ${messageOf(error)}.`,
      };
    }
  }

  async #result(program: Program): Promise<string | undefined> {
    const machine = await this.#start();
    const entry = this.#entry as GuestHandles;
    const evaluated = await this.#settled(this.#begin(machine, entry, program));
    const value = await this.#settled(machine.call(entry.finish, evaluated, machine.text(program.mode)));
    const resultJson = this.#jsonOf(machine, entry, value);
    if (!this.#isBusy) return resultJson;
    const calls = this.#bridge?.callsUnderWay ?? 0;
    this.#post({ kind: 'returned', run: this.number, calls, end: this.#given(resultJson) });
    return (await this.#finishCalls(machine)) ? this.#jsonOf(machine, entry, value) : resultJson;
  }

  /** Calls that nobody awaited were meant all the same: they end, and so does what waits for them, within the time; false where it did not. */
  async #finishCalls(machine: VirtualMachine): Promise<boolean> {
    try {
      while (this.#isBusy) {
        await this.#woken();
        if (this.#isOver || this.#broken !== undefined) return false;
        machine.pump();
      }
      return this.#broken === undefined && !this.#isOver;
    } catch {
      // The program has its result; what went wrong behind it must not take that away.
      return false;
    }
  }

  get #isBusy(): boolean {
    return (this.#bridge?.requestsUnderWay ?? 0) > 0;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #start(): Promise<VirtualMachine> {
    const { limits, run } = this.#order;
    const { bounds, lostLogs } = this.#data;
    const ready = await this.#takeMachine(this.#order);
    const { machine } = ready;
    this.#machine = machine;
    const bridge = new RunBridge(machine, {
      run,
      limits,
      bounds,
      lostLogs: new Int32Array(lostLogs),
      post: this.#post,
      wake: () => this.#wake(),
      breakOff: (error) => this.#breakOff(error),
    });
    this.#bridge = bridge;
    this.#entry = ready.entry;
    ready.give({
      isOver: () => this.#isOver,
      onRejection: (promise, reason, isHandled) => this.#noteRejection(promise, reason, isHandled),
      bridge: this.#hostFunctions(machine, bridge),
    });
    return machine;
  }

  #hostFunctions(machine: VirtualMachine, bridge: RunBridge): MachineOwner['bridge'] {
    return {
      request: this.#guarded((text) => bridge.request(text)),
      names: this.#guarded(() => machine.text(this.#order.program.namesJson)),
      log: this.#guarded((level, text) => bridge.log(level, text)),
      sleep: this.#guarded((ms) => bridge.sleep(ms)),
    };
  }

  /** An error of the host must not travel into the machine: its stack would name the files of this machine. */
  #guarded(act: (...given: GuestValue[]) => GuestValue): (...given: GuestValue[]) => GuestValue {
    return (...given) => {
      try {
        return act(...given);
      } catch (error) {
        this.#breakOff(error);
        return this.#machine?.undefined as GuestValue;
      }
    };
  }

  #begin(machine: VirtualMachine, entry: GuestHandles, { mode, source }: Program): GuestValue {
    if (mode === 'calls') return machine.call(entry.runCalls, machine.text(source));
    if (mode !== 'body') return machine.evaluate(source, programFile, mode);
    return machine.call(machine.evaluate(bodyOpening + source + bodyClosing, programFile));
  }

  /** Keeps the machine going until the promise is settled. */
  async #settled(promise: GuestValue): Promise<GuestValue> {
    const machine = this.#machine as VirtualMachine;
    for (;;) {
      machine.pump();
      if (this.#broken !== undefined) throw this.#broken;
      const outcome = await machine.outcome(promise);
      if (outcome !== undefined) {
        if ('value' in outcome) return outcome.value;
        throw this.#thrown(outcome.error);
      }
      if (this.#isOver) throw new Overdue();
      if (!this.#bridge?.isWaiting) throw neverSettled();
      await this.#woken();
    }
  }

  #jsonOf(machine: VirtualMachine, entry: GuestHandles, value: GuestValue): string | undefined {
    const text = machine.call(entry.settle, value);
    if (this.#broken !== undefined) throw this.#broken;
    if (text.isUndefined) return undefined;
    if (text.isArray) throw this.#failed(text.getProp('0'));
    const { resultChars } = this.#data.bounds;
    const chars = text.length;
    if (chars <= resultChars) return text.toString();
    const message = `The result is ${chars} characters of JSON; at most ${resultChars} can be given.`;
    const hint = 'Give a part or a summary, or keep(value) and give its address.';
    throw new RunEnded('output', { name: 'RangeError', message, hint });
  }

  #thrown(error: GuestValue): RunEnded {
    const machine = this.#machine as VirtualMachine;
    const isFull = machine.isFull;
    // Without room for the error itself, null is thrown; by now much memory may be free again.
    if (error.isNull && machine.wasFull) return outOfMemory();
    machine.grantReserve();
    try {
      return this.#failed(machine.call((this.#entry as GuestHandles).failure, error));
    } catch (trouble) {
      if (this.#isOver) throw trouble;
      return isFull ? outOfMemory() : new RunEnded('thrown', { name: 'Error', message: 'The program failed.' });
    }
  }

  #failed(told: GuestValue): RunEnded {
    const isShort = told.isString && told.length <= longestTextChars;
    return endedByProgram(isShort ? told.toString() : '{}', (this.#bridge?.refusedCalls ?? 0) > 0);
  }

  /** Turns anything that came out of the machine into the end of the run. */
  #endedBy(error: unknown): RunEnded {
    if (error instanceof RunEnded) return error;
    if (this.#isOver || error instanceof Overdue) return overdue(this.#order.limits.timeoutMs);
    return this.#isFull() ? outOfMemory() : endedByMachine(error);
  }

  #isFull(): boolean {
    try {
      return this.#machine?.isFull ?? false;
    } catch {
      // A machine that has broken down cannot be asked any more.
      return false;
    }
  }

  get #isOver(): boolean {
    return performance.now() >= this.#deadline;
  }

  #breakOff(error: unknown): void {
    this.#broken ??= error;
    this.#wake();
  }

  #noteRejection(promise: GuestValue, reason: GuestValue, isHandled: boolean): void {
    if (isHandled) this.#uncaught.delete(promise.identity);
    else if (this.#uncaught.size < mostUncaught)
      this.#uncaught.set(promise.identity, { promise: promise.dup(), reason: reason.dup() });
  }

  /** Notes the failure of a call that nobody awaited. */
  #noteUncaught(): void {
    const [first] = this.#uncaught.values();
    if (first === undefined || this.#machine === undefined || this.#isOver) return;
    const { errorJson } = this.#thrown(first.reason);
    const { message } = JSON.parse(errorJson) as GuestError;
    const others = this.#uncaught.size - 1;
    const more = others === 0 ? '' : ` (and ${others === 1 ? 'one more' : `${others} more`})`;
    this.#notes.push(`An error was neither awaited nor caught${more}: ${String(message).slice(0, 300)}`);
  }

  #given(resultJson: string | undefined): RunEnd {
    return { ...(resultJson === undefined ? {} : { resultJson }), ...this.#told() };
  }

  #told(): Pick<RunEnd, 'notes' | 'refusedCalls'> {
    const refusedCalls = this.#bridge?.refusedCalls ?? 0;
    return { notes: this.#allNotes(), ...(refusedCalls === 0 ? {} : { refusedCalls }) };
  }

  #allNotes(): string[] {
    const notes = [...this.#notes];
    try {
      notes.push(...this.#guestNotes());
    } catch {
      // Notes are an extra: a machine that cannot give them any more has said why elsewhere.
    }
    return notes;
  }

  #guestNotes(): string[] {
    if (this.#entry === undefined || this.#machine === undefined || this.#isOver) return [];
    const told = this.#machine.call(this.#entry.notes, this.#machine.number(this.#hasGiven ? 1 : 0));
    if (!told.isString || told.length > longestTextChars) return [];
    const notes: unknown = JSON.parse(told.toString());
    return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
  }
}
