/** The reason why a run is over, found from the value or error that came out of its machine. */

import { messageOf } from '../base/errors.ts';
import type { GuestError, ProgramEnd } from './guest-contract.ts';
import { isProgramError, OutOfMemory } from './virtual-machine.ts';

type Reason = ProgramEnd['reason'];

export class RunEnded extends Error {
  readonly reason: Reason;
  /** JSON text of a `GuestError`. */
  readonly errorJson: string;

  constructor(reason: Reason, error: GuestError | string) {
    super(reason);
    this.name = 'RunEnded';
    this.reason = reason;
    this.errorJson = typeof error === 'string' ? error : JSON.stringify(error);
  }
}

const importRefused = {
  message: 'Nothing can be imported here.',
  hint: 'Tools are under `servers`, for example await servers.github.create_issue({ … }).',
};

export function outOfMemory(): RunEnded {
  return new RunEnded('memory', { name: 'InternalError', message: 'out of memory' });
}

/** Without a line: the machine knows where a call was made, but not where in a loop it was interrupted. */
export function overdue(timeoutMs: number): RunEnded {
  return new RunEnded('timeout', { name: 'TimeoutError', message: `The program did not end within ${timeoutMs} ms.` });
}

export function neverSettled(): RunEnded {
  const message = 'The program waits for a promise that can never settle: no call, sleep or timer is pending.';
  return new RunEnded('thrown', { name: 'Error', message });
}

/** From the JSON text of a `GuestError`, which a program may have had a hand in. */
export function endedByProgram(errorJson: string, wasRefusedCalls: boolean): RunEnded {
  const error = JSON.parse(errorJson) as GuestError;
  // The machine has no way to load anything, and says no more than that.
  if (error.message?.startsWith('could not load module')) return new RunEnded('thrown', { ...error, ...importRefused });
  return new RunEnded(reasonOf(error, wasRefusedCalls), errorJson);
}

/** From what was thrown on this side of the machine; errors of a program come so only where it could not even begin. */
export function endedByMachine(error: unknown): RunEnded {
  if (error instanceof OutOfMemory || /out of memory/.test(messageOf(error))) return outOfMemory();
  if (!isProgramError(error)) {
    const message = `The virtual machine of the program broke down: ${messageOf(error)}.`;
    return new RunEnded('crashed', { name: 'InternalError', message });
  }
  const { name, message, stack = '' } = error;
  const reason = name === 'SyntaxError' ? 'syntax' : reasonOf(error, false);
  return new RunEnded(reason, { name, message, stack });
}

function reasonOf({ name, message, code }: GuestError, wasRefusedCalls: boolean): Reason {
  if (name === 'InternalError' && message?.startsWith('out of memory')) return 'memory';
  if (name === 'RangeError' && message === 'Maximum call stack size exceeded') return 'stack';
  if (code === 'RATE_LIMITED' && wasRefusedCalls) return 'calls';
  return 'thrown';
}
