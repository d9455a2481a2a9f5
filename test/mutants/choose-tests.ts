/** Ranks the tests that belong to a source file: by the imports between them, then by the words they share. */

import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

const mostUnits = 8;
/** An import, or the first file of a thread or a process. */
const relativePath = /['"]([\w./-]+\.tsx?)['"]/g;

export class TestChoice {
  readonly #root: string;
  readonly #importers = new Map<string, string[]>();
  readonly #scenarios: readonly string[];
  readonly #words = new Map<string, ReadonlySet<string>>();
  /** The number of scenarios that use each word. */
  readonly #uses = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
    for (const file of globSync(['src/**/*.ts', 'test/kit/*.ts'], { cwd: root })) this.#noteImports(file);
    this.#scenarios = globSync('test/scenarios/*.test.ts', { cwd: root }).sort();
    for (const file of this.#scenarios)
      for (const word of this.#wordsOf(file)) this.#uses.set(word, (this.#uses.get(word) ?? 0) + 1);
  }

  /** Nearest first, with unit tests before scenarios, which are slow. */
  choose(file: string, mostScenarios: number): string[] {
    const distances = this.#distancesTo(file);
    const rank = (test: string) => {
      if (basename(test).startsWith(basename(file, '.ts'))) return 0;
      return (distances.get(test) ?? 0) + strangeness(test, file);
    };
    const byWords = (one: string, other: string) => this.#nearness(file, other) - this.#nearness(file, one);
    const units = [...distances.keys()].filter((path) => path.endsWith('.test.ts'));
    return [
      ...units.sort((one, other) => rank(one) - rank(other) || byWords(one, other)).slice(0, mostUnits),
      ...this.#scenarios.toSorted(byWords).slice(0, mostScenarios),
    ];
  }

  #noteImports(file: string): void {
    for (const [, path = ''] of this.#read(file).matchAll(relativePath)) {
      const imported = posix.join(posix.dirname(file), path);
      this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), file]);
    }
  }

  /** The number of imports between the file and each file that reaches it. */
  #distancesTo(file: string): Map<string, number> {
    const distances = new Map([[file, 0]]);
    for (const [reached, distance] of distances)
      for (const importer of this.#importers.get(reached) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    return distances;
  }

  /** Rare words count most, and long tests are scaled down because they have more words. */
  #nearness(file: string, test: string): number {
    const words = this.#wordsOf(test);
    const shared = [...this.#wordsOf(file).intersection(words)];
    const weights = shared.map((word) => Math.log(this.#scenarios.length / (this.#uses.get(word) ?? 1)) ** 2);
    return weights.reduce((sum, weight) => sum + weight, 0) / Math.sqrt(words.size);
  }

  #wordsOf(file: string): ReadonlySet<string> {
    const found = this.#words.get(file);
    if (found !== undefined) return found;
    const words = new Set([...this.#read(file).matchAll(/[A-Z]?[a-z]{3,}/g)].map(([word]) => word.toLowerCase()));
    this.#words.set(file, words);
    return words;
  }

  #read(file: string): string {
    return readFileSync(join(this.#root, file), 'utf8');
  }
}

/** A test of another folder fits less, and a test of another layer even less. */
function strangeness(test: string, file: string): number {
  if (dirname(test) === dirname(file)) return 0;
  return test.split('/')[1] === file.split('/')[1] ? 1 : 4;
}
