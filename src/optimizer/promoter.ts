/** Decides about promotions and puts them in place: asked for by hand, by a job that has decided, or by a file that is read back. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { givenText } from '../base/text.ts';
import { type Catalog, canonicalOf, type Entry, wordingFingerprint } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { ToolSearch } from '../search/search.ts';
import type { OptimizerStore, StoredCandidate, StoredEvalRun, StoredPromotion } from '../store/store.ts';
import { checkCandidate } from './check-candidate.ts';
import { decidePromotion, type PromotionDecision } from './decide-promotion.ts';
import { allPrompts, candidateOf, findTool, noRuns, type ToolName, unusableRecord } from './find-records.ts';
import { measureEffect } from './neighbours.ts';
import type { Promotions } from './promotions.ts';
import { type ActingPrincipal, checkForce, mayForce } from './reach.ts';
import { SearchJudge } from './search-judge.ts';

export interface PromoterOptions {
  readonly catalog: Pick<Catalog, 'snapshot' | 'settle'>;
  readonly store: OptimizerStore;
  readonly search: Pick<ToolSearch, 'trial'>;
  readonly config: () => Pick<Config, 'optimize'>;
  readonly clock: Clock;
}

export class Promoter {
  readonly #options: PromoterOptions;
  readonly #promotions: Promotions;
  readonly #signal: AbortSignal;

  constructor(options: PromoterOptions, promotions: Promotions, signal: AbortSignal) {
    this.#options = options;
    this.#promotions = promotions;
    this.#signal = signal;
  }

  /**
   * Puts a candidate in place for every agent if it passes the gates. `force` goes past them, but not past the checks of its
   * text; it needs the scope `admin`, and the record says who forced it and why.
   */
  async promote(
    input: ToolName & {
      readonly candidateId: string;
      readonly force?: boolean | undefined;
      readonly why?: string | undefined;
    },
    by: ActingPrincipal,
  ) {
    const { candidateId, force = false, why } = input;
    if (force) checkForce(by);
    const entry = await findTool(this.#options.catalog, input);
    const { server, serverName: toolName } = entry;
    const { store } = this.#options;
    const candidate = await candidateOf(store, server, toolName, candidateId);
    const runs = await store.listEvalRuns(server, toolName);
    if (!force && !runs.some((run) => run.candidateId === candidateId)) throw noRuns(input);
    const decision = await this.#decide(entry, candidate, runs, force);
    const { refusals, warnings, metrics, baseline } = decision;
    if (refusals.length > 0 && !force) return { promoted: false, metrics, baseline, reasons: refusals, warnings };
    const forced = force ? { forced: true, by: by.name, why: why ?? 'No reason was given.' } : {};
    const { evidence } = await this.putInPlace(input, decision, { by: by.name, ...forced });
    const notes = [...(evidence === 'weak' ? ['weak evidence'] : []), ...(force ? refusals : warnings)];
    return { promoted: true, metrics, baseline, evidence, ...forced, warnings: notes };
  }

  /** By the runs that there are; the effect on neighbours is measured now, unless nobody asks for it. */
  async #decide(
    entry: Entry,
    { id: candidateId, description }: StoredCandidate,
    runs: readonly StoredEvalRun[],
    isForced: boolean,
  ): Promise<PromotionDecision> {
    const prompts = await this.#options.store.listPrompts(entry.server, entry.serverName);
    const stolen = isForced ? [] : await this.#measureEffect(entry, description, runs);
    return decidePromotion({ prompts, runs, candidateId, settings: this.#settings, stolen });
  }

  /** Checks the text once more, because servers and checks may have changed since it was proposed. */
  async putInPlace(
    input: ToolName & { readonly candidateId: string },
    { metrics, baseline, counts, judge, evidence }: PromotionDecision,
    who: Pick<StoredPromotion, 'by' | 'forced' | 'why'>,
  ): Promise<StoredPromotion> {
    const { candidateId } = input;
    const entry = await findTool(this.#options.catalog, input);
    const { server, serverName: toolName } = entry;
    const { store, clock } = this.#options;
    const { description, example } = await candidateOf(this.#options.store, server, toolName, candidateId);
    const prompts = await store.listPrompts(server, toolName);
    const definition = canonicalOf(entry);
    checkCandidate({ description, example }, { definition, prompts, maxChars: this.#settings.maxChars });
    const promotion: StoredPromotion = {
      ...{ server, toolName, candidateId, description, metrics, baseline, counts, judge },
      ...(example === undefined ? {} : { example }),
      promotedAt: new Date(clock.now()).toISOString(),
      fingerprint: wordingFingerprint(definition),
      evidence: who.forced ? 'forced' : evidence,
      ...who,
    };
    await this.#promotions.promote(promotion);
    return promotion;
  }

  /** From then on agents read the server's own description. */
  async revert(input: ToolName & { readonly why?: string | undefined }, by: string) {
    const { server, tool, why } = input;
    const known = this.#promotions.list().find((one) => one.server === server && one.toolName === tool);
    const toolName = known?.toolName ?? (await findTool(this.#options.catalog, input)).serverName;
    const promotion = await this.#promotions.revert({ server, toolName }, by, why === undefined ? {} : { why });
    if (promotion) return { reverted: true, candidateId: promotion.candidateId };
    throw new GatewayError('ARGUMENTS_INVALID', `Tool "${server}:${tool}" has no promoted description.`);
  }

  /** Restores a promotion from a file through the same gates. It is forced only if it was forced before and the restoring principal may force. */
  async restore(promotion: StoredPromotion, replaces: boolean, by: ActingPrincipal): Promise<void> {
    const { server, toolName, candidateId, description, example, forced = false } = promotion;
    if (forced && !mayForce(by))
      throw unusableRecord('It was forced past the gates, which needs the scope "admin" here too.');
    const here = this.#promotions.find(server, toolName);
    if (here && !replaces)
      throw unusableRecord(
        `Candidate "${here.candidateId}" is in place here since ${here.promotedAt}. Ask to replace.`,
      );
    const { catalog, store } = this.#options;
    const candidate = await candidateOf(store, server, toolName, candidateId);
    if (candidate.description !== description || candidate.example !== example)
      throw unusableRecord(`Candidate "${candidateId}" has another text here.`);
    const entry = await findTool(catalog, { server, tool: toolName });
    const runs = await store.listEvalRuns(server, toolName);
    const { refusals, evidence } = await this.#decide(entry, candidate, runs, forced);
    if (refusals.length > 0 && !forced) throw unusableRecord(`It does not pass the gates here: ${refusals.join(' ')}`);
    await this.#promotions.promote({ ...promotion, evidence: forced ? 'forced' : evidence }, by.name);
  }

  /** With the candidate in place, by the search judge. */
  async #measureEffect(entry: Entry, description: string, runs: readonly StoredEvalRun[]) {
    const { search, catalog, clock } = this.#options;
    const { server, serverName: toolName } = entry;
    const canonical = { server, toolName, description: givenText(canonicalOf(entry).description) };
    const judge = new SearchJudge(search);
    try {
      await judge.begin();
      const prompts = await allPrompts(this.#options);
      const around = { judge, canonical, snapshot: catalog.snapshot, prompts, runs };
      const options = { clock, timeoutMs: this.#settings.timeoutMs, signal: this.#signal };
      return await measureEffect({ ...around, candidate: { ...canonical, description } }, options);
    } finally {
      await judge.close();
    }
  }

  get #settings() {
    return this.#options.config().optimize;
  }
}
