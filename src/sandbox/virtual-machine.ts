/** One virtual machine for one program: a fresh QuickJS without access to its host, bounded in time, memory and stack. */

import { randomInt } from 'node:crypto';
import { CompileFlags, EvalFlags, JSException, type JSValueHandle, QuickJS, type WasiOptions } from 'quickjs-wasi';

/** A compiled `WebAssembly.Module`, which the types of Node do not declare. */
export type MachineModule = object;
interface LinearMemory {
  readonly buffer: ArrayBuffer;
}

export type GuestValue = JSValueHandle;
export type PromiseOutcome = { readonly value: GuestValue } | { readonly error: GuestValue };

/** Thrown through the machine, where no `catch` or `finally` of a program can hold it. */
export class Overdue extends Error {
  constructor() {
    super('The time is over.');
    this.name = 'Overdue';
  }
}

export interface MachineOptions {
  readonly wasm: MachineModule;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Asked often while the machine computes. */
  readonly isOver: () => boolean;
  /** A promise was rejected and nobody has caught it so far, or somebody does now. */
  readonly onRejection: (promise: GuestValue, reason: GuestValue, isHandled: boolean) => void;
}

/** Reserved for the error of a program that has used up its memory. */
const reserveBytes = 4 * 1_024 * 1_024;

/** A machine that uses more than this share of its memory counts as full. */
const fullFrom = 0.9;

export class VirtualMachine {
  readonly #vm: QuickJS;
  readonly #memoryBytes: number;
  readonly #memory: () => number;

  private constructor(vm: QuickJS, memoryBytes: number, memory: () => number) {
    this.#vm = vm;
    this.#memoryBytes = memoryBytes;
    this.#memory = memory;
  }

  static async create(options: MachineOptions): Promise<VirtualMachine> {
    const surroundings = surround();
    const vm = await QuickJS.create({
      wasm: options.wasm,
      memoryLimit: options.memoryBytes,
      maxStackSize: options.stackBytes,
      wasi: surroundings.wasi,
      timezoneOffset: 0,
      interruptHandler: () => {
        if (!options.isOver()) return false;
        throw new Overdue();
      },
      onUnhandledRejection: options.onRejection,
    });
    surroundings.seeded();
    return new VirtualMachine(vm, options.memoryBytes, surroundings.bytes);
  }

  /** The memory that the machine takes of the process. */
  get bytes(): number {
    return this.#memory();
  }

  get undefined(): GuestValue {
    return this.#vm.undefined;
  }

  /** Throws errors that a program cannot catch; its own come as a JSException only if it could not even begin. */
  evaluate(source: string, file: string, how: 'plain' | 'script' | 'module' = 'plain'): GuestValue {
    const flags = { plain: EvalFlags.TYPE_GLOBAL, script: EvalFlags.ASYNC, module: EvalFlags.TYPE_MODULE };
    return this.#vm.evalCode(source, file, flags[how]);
  }

  /** Code that every machine begins with is compiled once for all of them. */
  compile(source: string, file: string): Uint8Array {
    return this.#vm.compile(source, file, EvalFlags.TYPE_GLOBAL, CompileFlags.STRIP_SOURCE);
  }

  evaluateCompiled(code: Uint8Array): GuestValue {
    return this.#vm.evalBytecode(code);
  }

  call(target: GuestValue, ...given: GuestValue[]): GuestValue {
    return this.#vm.callFunction(target, this.#vm.undefined, ...given);
  }

  /** An object of host functions, under their names. */
  hostObject(functions: Readonly<Record<string, (...given: GuestValue[]) => GuestValue>>): GuestValue {
    const object = this.#vm.newObject();
    for (const [name, act] of Object.entries(functions)) {
      const one = this.#vm.newFunction(name, act);
      this.#vm.setProp(object, name, one);
      one.dispose();
    }
    return object;
  }

  text(text: string): GuestValue {
    const value = this.#vm.newString(text);
    if (!value.isString) throw new OutOfMemory();
    return value;
  }

  number(value: number): GuestValue {
    return this.#vm.newNumber(value);
  }

  /** From a text only: a host's error would bring its stack, and with it the paths of this machine. */
  error(message: string): GuestValue {
    return this.#vm.newError(message);
  }

  promise(): ReturnType<QuickJS['newPromise']> {
    return this.#vm.newPromise();
  }

  /** Runs what is ready to run. */
  pump(): void {
    this.#vm.executePendingJobs();
  }

  /** undefined while it is pending. */
  async outcome(promise: GuestValue): Promise<PromiseOutcome | undefined> {
    if (promise.promiseState === 0) return undefined;
    return this.#vm.resolvePromise(promise);
  }

  /** A program that has used up its memory cannot report it itself. */
  grantReserve(): void {
    this.#vm._getExports().qjs_set_memory_limit(this.#memoryBytes + reserveBytes);
  }

  get isFull(): boolean {
    return this.#vm.getMemoryUsage().mallocSize > fullFrom * this.#memoryBytes;
  }

  /** True if its memory was ever used up: the machine keeps what it took of the process. */
  get wasFull(): boolean {
    return this.bytes > fullFrom * this.#memoryBytes;
  }

  /** Stops it for good, so that its memory can be collected. */
  drop(): void {
    this.#vm.dispose();
  }
}

/** An error of the program itself that came out of the machine. */
export function isProgramError(error: unknown): error is Error {
  return error instanceof JSException;
}

/** A value of the host does not fit into the machine. */
export class OutOfMemory extends Error {
  constructor() {
    super('out of memory');
    this.name = 'OutOfMemory';
  }
}

/** The few system calls of the machine: the time, and nothing written anywhere. */
function surround(): { wasi: WasiOptions; seeded(): void; bytes(): number } {
  let memory: LinearMemory | undefined;
  // The machine seeds Math.random with the time at which it begins: two that begin together must not draw the same.
  let shiftNs = BigInt(randomInt(1_000_000_000));
  return {
    seeded: () => {
      shiftNs = 0n;
    },
    bytes: () => memory?.buffer.byteLength ?? 0,
    wasi: (given: LinearMemory) => {
      memory = given;
      return {
        clock_time_get(clock: number, _precision: bigint, result: number): number {
          const now = BigInt(Date.now()) * 1_000_000n;
          new DataView(given.buffer).setBigUint64(result, clock === 0 ? now - shiftNs : now, true);
          return 0;
        },
        fd_write: () => 8,
      };
    },
  };
}
