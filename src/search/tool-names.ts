/** Finds tools by their names, however a name is written: `git_commit`, "git commit", `gitCommit`, `git:git_commit`. */

import { tokensOf } from './words.ts';

/** In characters, so that a long need is not taken apart in vain. */
const longestNamed = 320;
/** Agents write it before the name of a server: `mcp__github__create_issue`. */
const agentPrefix = 'mcp';
/** Said before a thing, and never part of its name. */
const articles: ReadonlySet<string> = new Set('a an the this that these those my our your some'.split(' '));

/** A word that is written in two ways. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['email', 'mail'],
  ['mail', 'email'],
]);

/** Slots by the letters and digits of a name. */
type Slots = Map<string, number[]>;

export class ToolNames {
  readonly #whole: Slots = new Map();
  /** By the name without that of the server, where it begins so. */
  readonly #short: Slots = new Map();
  /** By slot. */
  readonly #tools: ({ readonly server: string; readonly name: string } | undefined)[] = [];

  add(slot: number, server: string, name: string): void {
    const tool = { server: squeezed(server), name: squeezed(name) };
    this.#tools[slot] = tool;
    slotsIn(this.#whole, tool.name).push(slot);
    const short = shortOf(tool);
    if (short !== '') slotsIn(this.#short, short).push(slot);
  }

  remove(slot: number): void {
    const tool = this.#tools[slot];
    if (!tool) return;
    this.#tools[slot] = undefined;
    drop(this.#whole, tool.name, slot);
    drop(this.#short, shortOf(tool), slot);
  }

  /** The slots of the tools that a text names and `isThere` lets through. A name without the server's counts where one tool alone has it. */
  find(text: string, isThere: (slot: number) => boolean): number[] {
    return text.length > longestNamed ? [] : this.#findEither(wordsIn(text), isThere);
  }

  /** The same for a text with articles: "create a pull request". It may be a name, or a sentence like others. */
  findInSentence(text: string, isThere: (slot: number) => boolean): number[] {
    if (text.length > longestNamed) return [];
    const words = wordsIn(text);
    const plain = words.filter((word) => !articles.has(word));
    return plain.length === words.length ? [] : this.#findEither(plain, isThere);
  }

  /** As it is written; only where no tool has that name, in the other spelling. */
  #findEither(words: readonly string[], isThere: (slot: number) => boolean): number[] {
    const found = this.#findWords(words, isThere);
    if (found.length > 0 || !words.some((word) => spellings.has(word))) return found;
    return this.#findWords(
      words.map((word) => spellings.get(word) ?? word),
      isThere,
    );
  }

  #findWords(words: readonly string[], isThere: (slot: number) => boolean): number[] {
    const parts = words[0] === agentPrefix ? words.slice(1) : words;
    if (parts.length === 0) return [];
    const found = new Set((this.#whole.get(parts.join('')) ?? []).filter(isThere));
    for (let from = 1; from < parts.length; from += 1) {
      const [server, name] = [parts.slice(0, from).join(''), parts.slice(from).join('')];
      for (const slot of this.#whole.get(name) ?? [])
        if (this.#tools[slot]?.server === server && isThere(slot)) found.add(slot);
    }
    if (found.size > 0) return [...found];
    const short = (this.#short.get(parts.join('')) ?? []).filter(isThere);
    return short.length === 1 ? short : [];
  }
}

/** Empty where the name does not begin with that of the server, or is nothing else. */
function shortOf({ server, name }: { readonly server: string; readonly name: string }): string {
  return server !== '' && name.startsWith(server) ? name.slice(server.length) : '';
}

function slotsIn(all: Slots, key: string): number[] {
  const slots = all.get(key) ?? [];
  all.set(key, slots);
  return slots;
}

function drop(all: Slots, key: string, slot: number): void {
  const others = (all.get(key) ?? []).filter((other) => other !== slot);
  if (others.length > 0) all.set(key, others);
  else all.delete(key);
}

function squeezed(name: string): string {
  return wordsIn(name).join('');
}

function wordsIn(text: string): string[] {
  return tokensOf(text).flatMap(({ parts }) => parts);
}
