/** The tools that a prompt is judged among: what the search finds for it, with the tool under test and the one that is right instead, the same for every wording. */

import { fingerprintOf } from '../base/ids.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { givenText } from '../base/text.ts';
import { canonicalOf, type Entry, type Snapshot } from '../catalog/catalog.ts';
import type { OfferedTool } from '../language-model/language-model.ts';
import type { SearchTrial, ToolSearch } from '../search/search.ts';
import { NameTable } from '../tools/tools.ts';
import { giveWayToCalls, mostOffered, type Wording } from './judge.ts';

/** Its name is unique in its set. */
export interface ToolOffer extends OfferedTool {
  /** `server:tool`, with the server's own name for it. */
  readonly address: string;
}

/** Shows the descriptions that agents read now; the tool under test has the one that is tried. */
export class OfferedTools {
  readonly #search: Pick<ToolSearch, 'trial'>;
  #trial: SearchTrial | undefined;
  /** Sets by tool under test and prompt. */
  readonly #sets = new Map<string, readonly Entry[]>();

  constructor(search: Pick<ToolSearch, 'trial'>) {
    this.#search = search;
  }

  /** Follows the current catalog. */
  async begin(): Promise<void> {
    this.#sets.clear();
    this.#trial ??= this.#search.trial();
    await this.#trial.follow();
  }

  /** Empty if the tool under test is missing. */
  async offer(wording: Wording, prompt: string, signal: AbortSignal): Promise<ToolOffer[]> {
    const entries = await this.#entries(wording, prompt, signal);
    const named = entries.map((entry) => ({ ...entry, name: entry.serverName.replaceAll('.', '_') }));
    const names = new NameTable(named, '__');
    return entries.map((entry) => {
      const { description, inputSchema } = entry.definition;
      return {
        address: addressOf(entry),
        name: names.nameOf(entry),
        description: givenText(description),
        inputSchema: isObject(inputSchema) ? (inputSchema as JsonObject) : { type: 'object' }, // it came as JSON
      };
    });
  }

  /** The same tools as a catalog of their own. */
  async catalogFor(wording: Wording, prompt: string, signal: AbortSignal): Promise<Snapshot> {
    const entries = await this.#entries(wording, prompt, signal);
    const all = this.#trial?.snapshot.servers.values() ?? [];
    const servers = [...all].flatMap((server) => {
      const tools = entries.filter((entry) => entry.server === server.spec.name);
      return tools.length === 0 ? [] : [{ ...server, tools }];
    });
    return {
      servers: new Map(servers.map((server) => [server.spec.name, server])),
      tools: new Map(entries.map((entry) => [entry.key, entry])),
    };
  }

  async close(): Promise<void> {
    await this.#trial?.close();
    this.#trial = undefined;
  }

  async #entries(wording: Wording, prompt: string, signal: AbortSignal): Promise<readonly Entry[]> {
    const { server, toolName, description, rival } = wording;
    const key = JSON.stringify([server, toolName, rival, prompt]);
    const entries = this.#sets.get(key) ?? (await this.#find(wording, prompt, signal));
    this.#sets.set(key, entries);
    return entries.map((entry) => {
      const isOwn = entry.server === server && entry.serverName === toolName;
      return isOwn ? { ...entry, definition: { ...entry.definition, description }, promoted: undefined } : entry;
    });
  }

  /** Found by the server's own description, so that no wording chooses its rivals; in an order that favours none of them. */
  async #find({ server, toolName, rival }: Wording, prompt: string, signal: AbortSignal): Promise<readonly Entry[]> {
    const trial = this.#trial;
    if (!trial) throw new Error('A run has to begin before it is judged.');
    const own = trial.snapshot.servers.get(server)?.tools.find((tool) => tool.serverName === toolName);
    if (!own) return [];
    await giveWayToCalls();
    trial.describe(server, toolName, givenText(canonicalOf(own).description));
    const hits = await trial.rank(prompt, mostOffered, signal);
    const found = hits.flatMap(({ key }) => trial.snapshot.tools.get(key) ?? []);
    const right = [...trial.snapshot.tools.values()].filter((entry) => addressOf(entry) === rival);
    // An alias is the tool that it stands for.
    const entries = new Map([...right, ...found, own].map((entry) => [addressOf(entry), entry]));
    const placeOf = (address: string) => fingerprintOf([prompt, address]);
    return [...entries].toSorted(([a], [b]) => (placeOf(a) < placeOf(b) ? -1 : 1)).map(([, entry]) => entry);
  }
}

function addressOf({ server, serverName }: Pick<Entry, 'server' | 'serverName'>): string {
  return `${server}:${serverName}`;
}
