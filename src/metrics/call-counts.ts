/** Calls since the start, by server, tool and outcome, for Prometheus: with few enough labels, whatever servers call their tools. */

import { visibleLine } from '../base/visible.ts';
import { type CallRecord, type OutcomeKind, reachedTool, Tally } from '../store/store.ts';
import { Durations } from './durations.ts';

/** Every label is a series for ever. Beyond these, calls are counted under `otherLabel`; names are cut. */
export const labelLimits = { servers: 500, tools: 2_000, toolsOfServer: 200, characters: 100 };
export const otherLabel = 'other';

export interface ServerCounts {
  /** The label of the server. */
  readonly server: string;
  /** By the label of the tool. */
  readonly tools: ReadonlyMap<string, Readonly<Record<OutcomeKind, number>>>;
  /** Of calls that reached the tool. */
  readonly durations: Durations;
}

type Outcomes = Record<OutcomeKind, number>;

export class CallCounts {
  readonly #servers = new Map<string, ServerCounts & { readonly tools: Map<string, Outcomes> }>();
  #toolLabels = 0;

  add(call: CallRecord): void {
    const { tools, durations } = this.#serverOf(call.server);
    this.#outcomesOf(tools, call.tool)[call.outcome] += 1;
    if (reachedTool(call)) durations.add(call.ms);
  }

  all(): Iterable<ServerCounts> {
    return this.#servers.values();
  }

  /** The label under which a server is counted, from now on the same one. */
  labelOf(server: string): string {
    return this.#serverOf(server).server;
  }

  #serverOf(name: string) {
    const label = this.#servers.has(name) || this.#servers.size < labelLimits.servers ? name : otherLabel;
    let counts = this.#servers.get(label);
    if (counts === undefined) {
      counts = { server: label, tools: new Map(), durations: new Durations() };
      this.#servers.set(label, counts);
    }
    return counts;
  }

  #outcomesOf(tools: Map<string, Outcomes>, name: string): Outcomes {
    const own = labelOf(name);
    const isNew = !tools.has(own);
    const hasRoom = tools.size < labelLimits.toolsOfServer && this.#toolLabels < labelLimits.tools;
    const label = isNew && !hasRoom ? otherLabel : own;
    const known = tools.get(label);
    if (known) return known;
    if (hasRoom) this.#toolLabels += 1;
    const { outcomes } = new Tally();
    tools.set(label, outcomes);
    return outcomes;
  }
}

/** A name of a stranger: without unseen characters, and cut both before and after they are written as escapes. */
function labelOf(name: string): string {
  const { characters } = labelLimits;
  return visibleLine(name.slice(0, characters)).slice(0, characters).toWellFormed();
}
