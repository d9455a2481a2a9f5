/** Finds tools by their names, however a name is written: `git_commit`, "git commit", `gitCommit`, `git:git_commit`. */

import { tokensOf } from './words.ts';

/** In characters, so that a long need is not taken apart in vain. */
const longestNamed = 320;
/** Agents write it before the name of a server: `mcp__github__create_issue`. */
const agentPrefix = 'mcp';

interface Named {
  readonly slot: number;
  /** Squeezed like the name. */
  readonly server: string;
  readonly isWhole: boolean;
}

export class ToolNames {
  /** By the letters and digits of the name, and of the name without that of the server where it begins so. */
  readonly #named = new Map<string, Named[]>();
  /** By slot. */
  readonly #keys: (readonly string[] | undefined)[] = [];

  add(slot: number, server: string, name: string): void {
    const [prefix, whole] = [squeezed(server), squeezed(name)];
    const keys =
      prefix !== '' && whole !== prefix && whole.startsWith(prefix) ? [whole, whole.slice(prefix.length)] : [whole];
    this.#keys[slot] = keys;
    for (const key of keys) {
      const named = this.#named.get(key) ?? [];
      this.#named.set(key, named);
      named.push({ slot, server: prefix, isWhole: key === whole });
    }
  }

  remove(slot: number): void {
    for (const key of this.#keys[slot] ?? []) {
      const others = (this.#named.get(key) ?? []).filter((named) => named.slot !== slot);
      if (others.length > 0) this.#named.set(key, others);
      else this.#named.delete(key);
    }
    this.#keys[slot] = undefined;
  }

  /** The slots of the tools that a text names and `isThere` lets through. A name without the server's counts where one tool alone has it. */
  find(text: string, isThere: (slot: number) => boolean): number[] {
    if (text.length > longestNamed) return [];
    const words = wordsIn(text);
    const parts = words[0] === agentPrefix ? words.slice(1) : words;
    const found = new Map<number, boolean>();
    for (let from = 0; from < parts.length; from += 1) {
      const server = parts.slice(0, from).join('');
      for (const named of this.#named.get(parts.slice(from).join('')) ?? []) {
        const isMeant = from === 0 || named.server === server;
        if (isMeant && isThere(named.slot)) found.set(named.slot, named.isWhole || from > 0);
      }
    }
    const whole = [...found].filter(([, isWhole]) => isWhole).map(([slot]) => slot);
    return whole.length > 0 || found.size > 1 ? whole : [...found.keys()];
  }
}

function squeezed(name: string): string {
  return wordsIn(name).join('');
}

function wordsIn(text: string): string[] {
  return tokensOf(text).flatMap(({ parts }) => parts);
}
