/** An updater of vectors with everything around it in the hands of a test. */

import { setImmediate as turn } from 'node:timers/promises';
import type { Log } from '../../src/base/log.ts';
import type { Vector } from '../../src/meaning/meaning.ts';
import { ToolIndex } from '../../src/search/tool-index.ts';
import { VectorUpdater } from '../../src/search/vector-updater.ts';
import type { StoredVector } from '../../src/store/store.ts';
import { ManualClock } from './manual-clock.ts';
import { directionOf, MemoryVectors, ScriptedModel } from './memory-vectors.ts';

/** One life of an updater; the store outlives it. */
export class VectorHarness {
  readonly model = new ScriptedModel();
  readonly store: MemoryVectors;
  readonly index = new ToolIndex();
  readonly clock = new ManualClock();
  readonly said: string[] = [];
  readonly updater: VectorUpdater;

  constructor(store = new MemoryVectors()) {
    const say = (level: string) => (event: string) => void this.said.push(`${level}: ${event}`);
    const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
    const { model, index, clock } = this;
    this.store = store;
    this.updater = new VectorUpdater({ model, store, index, clock, log });
  }

  /** As the finder does: the tool first, then its text. */
  want(key: string, text = `text of ${key}`): void {
    this.index.add({ key, server: 's', serverText: '', name: key, description: text, parameters: [] });
    this.updater.want(key, text);
  }

  remove(key: string): void {
    this.index.remove(key);
    this.updater.forget(key);
  }

  /** The tools that a search by meaning finds for a text, nearest first. */
  near(text: string): string[] {
    const question = { text, parts: [], vectors: vectorsOf(text), usage: new Map() };
    return this.index.search([question], { limit: 99, mode: 'semantic' }).map((hit) => hit.key);
  }

  get warnings(): string[] {
    return this.said.filter((line) => line.startsWith('warn'));
  }

  /** Until nothing is under way. */
  async quiet(): Promise<void> {
    for (let round = 0; round < 30; round += 1) await turn();
  }
}

export function vectorsOf(...texts: readonly string[]): Vector[] {
  return texts.map(directionOf).filter((vector) => vector !== null);
}

/** Vectors of texts that no tool has. */
export function spareVectors(count: number, width = 16): Map<string, StoredVector> {
  const row = (at: number) => ({ fingerprint: `spare-${at}`, values: new Uint8Array(width).fill(1), scale: 0.25 });
  return new Map(Array.from({ length: count }, (_, at) => [`spare-${at}`, row(at)]));
}
