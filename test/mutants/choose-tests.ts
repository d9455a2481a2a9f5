/** Ranks the tests that belong to a source file: unit tests by the imports between them, scenarios by the words they share. */

import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

const mostUnits = 6;

/** An import, or a file that a thread or a process starts with. */
const relativePath = /['"](\.{1,2}\/[^'"\n]+\.tsx?)['"]/g;

export class TestChoice {
  readonly #root: string;
  readonly #importers = new Map<string, string[]>();
  readonly #wordsOfScenarios: ReadonlyMap<string, ReadonlySet<string>>;
  /** The number of scenarios that use each word. */
  readonly #uses = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
    for (const file of globSync(['src/**/*.ts', 'test/kit/*.ts'], { cwd: root })) this.#noteImports(file);
    const scenarios = globSync('test/scenarios/*.test.ts', { cwd: root }).sort();
    this.#wordsOfScenarios = new Map(scenarios.map((file) => [file, this.#wordsOf(file)]));
    for (const words of this.#wordsOfScenarios.values())
      for (const word of words) this.#uses.set(word, (this.#uses.get(word) ?? 0) + 1);
  }

  /** The nearest first, and unit tests before scenarios, which are slow. */
  choose(file: string, mostScenarios: number): string[] {
    const distances = this.#distancesTo(file);
    const rank = (test: string) => {
      if (basename(test).startsWith(basename(file, '.ts'))) return 0;
      return (distances.get(test) ?? 0) + (dirname(test) === dirname(file) ? 0 : 1);
    };
    const units = [...distances.keys()].filter((path) => path.endsWith('.test.ts')).sort();
    const words = this.#wordsOf(file);
    const nearness = new Map([...this.#wordsOfScenarios].map(([test, own]) => [test, this.#nearness(words, own)]));
    const scenarios = [...nearness].toSorted((one, other) => other[1] - one[1]).map(([test]) => test);
    return [
      ...units.toSorted((one, other) => rank(one) - rank(other)).slice(0, mostUnits),
      ...scenarios.slice(0, mostScenarios),
    ];
  }

  #noteImports(file: string): void {
    for (const [, path = ''] of this.#read(file).matchAll(relativePath)) {
      const imported = posix.join(posix.dirname(file), path);
      this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), file]);
    }
  }

  /** How many imports lie between the file and each file that reaches it. */
  #distancesTo(file: string): Map<string, number> {
    const distances = new Map([[file, 0]]);
    for (const [reached, distance] of distances)
      for (const importer of this.#importers.get(reached) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    return distances;
  }

  /** Rare words count most; a long scenario has more of all words. */
  #nearness(words: ReadonlySet<string>, scenario: ReadonlySet<string>): number {
    const weights = [...words.intersection(scenario)].map(
      (word) => Math.log(this.#wordsOfScenarios.size / (this.#uses.get(word) ?? 1)) ** 2,
    );
    return weights.reduce((sum, weight) => sum + weight, 0) / Math.sqrt(scenario.size);
  }

  #wordsOf(file: string): Set<string> {
    const words = this.#read(file).matchAll(/[A-Z]?[a-z]{3,}/g);
    return new Set([...words].map(([word]) => word.toLowerCase()));
  }

  #read(file: string): string {
    return readFileSync(join(this.#root, file), 'utf8');
  }
}
