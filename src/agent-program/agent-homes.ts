/** Homes of agent programs: a new one for each run, few at once, and nothing of an earlier gateway. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../base/errors.ts';
import { makeFolder } from '../base/folders.ts';
import { Limiter } from '../base/limiter.ts';
import type { Log } from '../base/log.ts';
import { limits } from '../config/config.ts';

/** Processes that are just ending may still write. */
const removal = { recursive: true, force: true, maxRetries: 5 } as const;

export class AgentHomes {
  readonly #folder: string;
  readonly #log: Log;
  readonly #limiter = new Limiter(tooMany, limits.agentPrograms, limits.agentProgramQueue);
  readonly #uses = new Set<Promise<unknown>>();

  /**
   * Agents look for settings and instructions in all folders above theirs. Anybody can put some into the temporary folder, but
   * only the owner into those above the data folder; adapters switch the search off, because the owner's are not meant either.
   */
  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    this.#folder = join(dataDir, 'agent-homes');
    this.#log = log;
  }

  /** Removes the homes that a killed gateway left. */
  async open(): Promise<void> {
    await rm(this.#folder, removal).catch((error) =>
      this.#log.warn('Homes of earlier agent programs could not be removed', { error }),
    );
  }

  /** Runs `act` in a new home when a slot is free. Throws MODEL_FAILED if too many wait, the signal's reason, or the error of `act`. By then the home is gone. */
  async use<T>(act: (home: string) => Promise<T>, signal: AbortSignal): Promise<T> {
    const use = this.#limiter.run(() => this.#inHome(act), signal);
    this.#uses.add(use);
    return use.finally(() => this.#uses.delete(use));
  }

  /** Waits until all programs have ended and their homes are gone. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#uses);
  }

  async #inHome<T>(act: (home: string) => Promise<T>): Promise<T> {
    await makeFolder(this.#folder);
    const home = await mkdtemp(join(this.#folder, 'run-'));
    try {
      return await act(home);
    } finally {
      await rm(home, removal);
    }
  }
}

function tooMany(running: number, waiting: number): GatewayError {
  return new GatewayError('MODEL_FAILED', `${running} agent programs are running and ${waiting} waiting.`, {
    hint: 'Try again when some have finished.',
  });
}
