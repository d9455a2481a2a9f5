/** A machine with the prelude in it, made before its program comes: making one takes longer than most programs. */

import type { GuestBridge, GuestEntry } from './guest-contract.ts';
import { preludeSource } from './guest-prelude/guest-prelude.ts';
import type { RunOrder, ThreadData } from './thread-messages.ts';
import { type GuestValue, type MachineOptions, VirtualMachine } from './virtual-machine.ts';

/** Functions inside the machine; `settle` gives a list with the failure where a result has no JSON. */
export type GuestHandles = Readonly<Record<keyof GuestEntry, GuestValue>>;
type HostBridge = Readonly<Record<keyof GuestBridge, (...given: GuestValue[]) => GuestValue>>;

/** The run for which a machine works. */
export interface MachineOwner extends Pick<MachineOptions, 'isOver' | 'onRejection'> {
  readonly bridge: Omit<HostBridge, 'serverNames'>;
}

/** The settings that a machine is made with: it suits every order with the same ones. */
interface MachineSettings {
  readonly memoryBytes: number;
  /** JSON text. */
  readonly serverNames: string;
}

/** Nobody's until its program comes. */
interface Work {
  owner: MachineOwner | undefined;
}

export class ReadyMachine {
  readonly machine: VirtualMachine;
  readonly entry: GuestHandles;
  readonly #settings: MachineSettings;
  readonly #work: Work;

  private constructor(machine: VirtualMachine, entry: GuestHandles, settings: MachineSettings, work: Work) {
    this.machine = machine;
    this.entry = entry;
    this.#settings = settings;
    this.#work = work;
  }

  static async make({ bounds, wasm }: ThreadData, order: RunOrder): Promise<ReadyMachine> {
    const settings = settingsOf(order);
    const work: Work = { owner: undefined };
    const machine = await VirtualMachine.create({
      wasm,
      memoryBytes: settings.memoryBytes,
      stackBytes: bounds.stackBytes,
      isOver: () => work.owner?.isOver() ?? false,
      onRejection: (...told) => work.owner?.onRejection(...told),
    });
    const passOn =
      (name: keyof MachineOwner['bridge']) =>
      (...given: GuestValue[]): GuestValue =>
        work.owner?.bridge[name](...given) ?? machine.undefined;
    const entry = enterGuest(machine, {
      request: passOn('request'),
      names: passOn('names'),
      log: passOn('log'),
      sleep: passOn('sleep'),
      serverNames: () => machine.text(settings.serverNames),
    });
    return new ReadyMachine(machine, entry, settings, work);
  }

  suits(order: RunOrder): boolean {
    const { memoryBytes, serverNames } = settingsOf(order);
    return memoryBytes === this.#settings.memoryBytes && serverNames === this.#settings.serverNames;
  }

  /** From now on it works for this run. */
  give(owner: MachineOwner): void {
    this.#work.owner = owner;
  }
}

function settingsOf({ limits, program }: RunOrder): MachineSettings {
  return { memoryBytes: limits.memoryBytes, serverNames: JSON.stringify(program.serverNames) };
}

/** Errors thrown while the result is written must not come out of the machine as errors of the host. */
const settlingSource =
  '(settle, failure) => (value) => { try { return settle(value); } catch (error) { return [failure(error)]; } }';
let compiledPrelude: Uint8Array | undefined;

/** Puts the prelude into a fresh machine and takes hold of its functions, before the program can touch anything. */
function enterGuest(machine: VirtualMachine, bridge: HostBridge): GuestHandles {
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
