/** The messages between the gateway and a thread that runs programs: plain data, numbered by run to recognise late ones. */

import type { ChainFailure, ChainLimits, ChainProgram } from './sandbox.ts';
import type { MachineModule } from './virtual-machine.ts';

/** The data that a thread starts with. */
export interface ThreadData {
  readonly wasm: MachineModule;
  readonly bounds: RunBounds;
  /** Its first number counts the log lines that were not kept; it can be read even where the thread cannot answer any more. */
  readonly lostLogs: SharedArrayBuffer;
}

/** The named limits that hold in the thread; it does not load the configuration for them. */
export interface RunBounds {
  readonly questions: number;
  readonly requestChars: number;
  readonly waitingChars: number;
  readonly resultChars: number;
  readonly timers: number;
  readonly logLineChars: number;
  readonly logLines: number;
  readonly stackBytes: number;
}

export interface RunOrder {
  readonly kind: 'run';
  readonly run: number;
  readonly program: ChainProgram;
  readonly limits: ChainLimits;
  /** The time that is left. */
  readonly leftMs: number;
}

export interface RequestAnswer {
  readonly kind: 'answer';
  readonly run: number;
  readonly id: number;
  /** JSON text of a `BridgeAnswer`. */
  readonly text: string;
}

export type ToThread = RunOrder | RequestAnswer;

/** How a run ended, as the thread saw it. */
export interface RunEnd {
  readonly resultJson?: string;
  readonly failure?: ChainFailure;
  readonly notes: readonly string[];
  /** Calls beyond those that the program may make. */
  readonly refusedCalls?: number;
}

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'request'; readonly run: number; readonly id: number; readonly text: string }
  | { readonly kind: 'log'; readonly run: number; readonly line: string }
  /** The answer has arrived. */
  | { readonly kind: 'taken'; readonly run: number; readonly id: number }
  /** The program has its result while work that it did not wait for is under way; `calls` counts its calls. */
  | { readonly kind: 'returned'; readonly run: number; readonly calls: number; readonly end: RunEnd }
  | { readonly kind: 'end'; readonly run: number; readonly end: RunEnd; readonly machineBytes: number };
