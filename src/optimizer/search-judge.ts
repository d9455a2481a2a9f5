/** The judge that needs no model: the tool that the search of this gateway ranks first, among all tools of all servers. */

import type { SearchTrial, ToolSearch } from '../search/search.ts';
import { noticeOn } from '../tools/tools.ts';
import { type Choice, type DescriptionJudge, giveWayToCalls, mostOffered, type Wording } from './judge.ts';

export class SearchJudge implements DescriptionJudge {
  readonly name = 'search';
  readonly #search: Pick<ToolSearch, 'trial'>;
  #trial: SearchTrial | undefined;
  /** The wording that the trial has now. */
  #wording: Wording | undefined;

  constructor(search: Pick<ToolSearch, 'trial'>) {
    this.#search = search;
  }

  async begin(): Promise<void> {
    this.#trial ??= this.#search.trial();
    this.#wording = undefined;
    await this.#trial.follow();
  }

  /** A tool that cannot be found by its own address is not among those that are searched. */
  async checkSanity(wording: Wording, signal: AbortSignal): Promise<string | null> {
    const address = `${wording.server}:${wording.toolName}`;
    const { tool } = await this.choose(wording, address, signal);
    return tool === address ? null : `A search for "${address}" does not find the tool itself.`;
  }

  async choose(wording: Wording, prompt: string, signal: AbortSignal): Promise<Choice> {
    const trial = this.#trial;
    if (!trial) throw new Error('A run has to begin before it is judged.');
    await giveWayToCalls();
    this.#use(trial, wording);
    const hits = await trial.rank(prompt, mostOffered, signal);
    const offered = hits.map(({ key }) => addressOf(key, trial));
    const isDoubted = noticeOn(hits, trial.size, null).code !== undefined;
    return { tool: offered[0] ?? null, isDoubted, offered: [...new Set(offered)] };
  }

  async close(): Promise<void> {
    await this.#trial?.close();
    this.#trial = undefined;
  }

  #use(trial: SearchTrial, wording: Wording): void {
    const { server, toolName, description } = wording;
    const now = this.#wording;
    if (now?.server === server && now.toolName === toolName && now.description === description) return;
    trial.describe(server, toolName, description);
    this.#wording = wording;
  }
}

/** An alias is the tool that it stands for. */
function addressOf(key: string, { snapshot }: SearchTrial): string {
  const tool = snapshot.tools.get(key);
  return tool ? `${tool.server}:${tool.serverName}` : key;
}
