/** The figures of every tool that was called, in memory: a bounded number of them. */

import { type CallRecord, Tally, type ToolTally, toolKeyOf } from '../store/store.ts';

/**
 * Tools whose figures are at hand, at about half a kilobyte each. Beyond it the ones that were not called for longest
 * are let go: the store has them, but what is shown of them begins anew until the next start.
 */
export const mostTools = 50_000;

export class KnownTools {
  /** The one that was called last comes last. */
  readonly #tools = new Map<string, ToolTally>();
  #letGo = 0;

  get size(): number {
    return this.#tools.size;
  }

  /** Tools that were let go since the start. */
  get letGo(): number {
    return this.#letGo;
  }

  load(tools: readonly ToolTally[]): void {
    this.#tools.clear();
    for (const tool of tools) this.#put(toolKeyOf(tool), tool);
  }

  add(call: CallRecord): void {
    const key = toolKeyOf(call);
    const { server, tool } = call;
    const known = this.#tools.get(key) ?? { server, tool, tally: new Tally() };
    known.tally.add(call);
    this.#tools.delete(key);
    this.#put(key, known);
  }

  get(toolKey: string): ToolTally | undefined {
    return this.#tools.get(toolKey);
  }

  all(): IterableIterator<ToolTally> {
    return this.#tools.values();
  }

  remove(isMeant: (tool: ToolTally) => boolean): void {
    for (const [key, tool] of this.#tools) if (isMeant(tool)) this.#tools.delete(key);
  }

  #put(key: string, tool: ToolTally): void {
    this.#tools.set(key, tool);
    if (this.#tools.size <= mostTools) return;
    const [oldest] = this.#tools.keys();
    if (oldest === undefined) return;
    this.#tools.delete(oldest);
    this.#letGo += 1;
  }
}
