/** Puts the prelude into a fresh machine and takes hold of its functions, before the program can touch anything. */

import type { GuestBridge, GuestEntry } from './guest-contract.ts';
import { preludeSource } from './guest-prelude.ts';
import type { Value, VirtualMachine } from './virtual-machine.ts';

/** Functions inside the machine; `settle` gives a list with the failure where a result has no JSON. */
export type Entry = Readonly<Record<keyof GuestEntry, Value>>;
export type HostBridge = Readonly<Record<keyof GuestBridge, (...given: Value[]) => Value>>;

/** What is thrown while the result is written must not come out of the machine as an error of the host. */
const settlingSource =
  '(settle, failure) => (value) => { try { return settle(value); } catch (error) { return [failure(error)]; } }';
let compiledPrelude: Uint8Array | undefined;

export function enterGuest(machine: VirtualMachine, bridge: HostBridge): Entry {
  const settling = machine.evaluate(settlingSource, 'engine.js');
  compiledPrelude ??= machine.compile(preludeSource, 'prelude.js');
  const guest = machine.call(machine.evaluateCompiled(compiledPrelude), machine.hostObject(bridge));
  const failure = guest.getProp('failure');
  return {
    finish: guest.getProp('finish'),
    settle: machine.call(settling, guest.getProp('settle'), failure),
    failure,
    notes: guest.getProp('notes'),
    runCalls: guest.getProp('runCalls'),
  };
}
