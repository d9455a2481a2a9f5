/** A machine with the prelude in it, made before its program comes: making one takes longer than most programs. */

import { type Entry, enterGuest, type HostBridge } from './enter-guest.ts';
import type { RunOrder, ThreadData } from './thread-messages.ts';
import { type MachineOptions, type Value, VirtualMachine } from './virtual-machine.ts';

/** The run for which a machine works. */
export interface MachineOwner extends Pick<MachineOptions, 'isOver' | 'onRejection'> {
  readonly bridge: Omit<HostBridge, 'serverNames'>;
}

/** What a machine is made for: it suits every order that is the same in this. */
interface Purpose {
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
  readonly entry: Entry;
  readonly #purpose: Purpose;
  readonly #work: Work;

  private constructor(machine: VirtualMachine, entry: Entry, purpose: Purpose, work: Work) {
    this.machine = machine;
    this.entry = entry;
    this.#purpose = purpose;
    this.#work = work;
  }

  static async make({ bounds, wasm }: ThreadData, order: RunOrder): Promise<ReadyMachine> {
    const purpose = purposeOf(order);
    const work: Work = { owner: undefined };
    const machine = await VirtualMachine.create({
      wasm,
      memoryBytes: purpose.memoryBytes,
      stackBytes: bounds.stackBytes,
      isOver: () => work.owner?.isOver() ?? false,
      onRejection: (...told) => work.owner?.onRejection(...told),
    });
    const passOn =
      (name: keyof MachineOwner['bridge']) =>
      (...given: Value[]): Value =>
        work.owner?.bridge[name](...given) ?? machine.undefined;
    const entry = enterGuest(machine, {
      request: passOn('request'),
      names: passOn('names'),
      log: passOn('log'),
      sleep: passOn('sleep'),
      serverNames: () => machine.text(purpose.serverNames),
    });
    return new ReadyMachine(machine, entry, purpose, work);
  }

  suits(order: RunOrder): boolean {
    const { memoryBytes, serverNames } = purposeOf(order);
    return memoryBytes === this.#purpose.memoryBytes && serverNames === this.#purpose.serverNames;
  }

  /** From now on it works for this run. */
  give(owner: MachineOwner): void {
    this.#work.owner = owner;
  }
}

function purposeOf({ limits, program }: RunOrder): Purpose {
  return { memoryBytes: limits.memoryBytes, serverNames: JSON.stringify(program.serverNames) };
}
