/** Promotions in effect: agents read the promoted descriptions, and the audit holds what becomes of each. The gates are decided before. */

import type { AuditLog } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Catalog, Entry, Rewordings } from '../catalog/catalog.ts';
import type { CallMetrics } from '../metrics/metrics.ts';
import {
  type ChangeWatch,
  type OptimizerStore,
  type StoreChanges,
  type StoredPromotion,
  type StoreEvent,
  StoreFollower,
  toolKeyOf,
} from '../store/store.ts';
import { Watch } from './watch.ts';

export interface PromotionsOptions {
  readonly store: Pick<OptimizerStore, 'listPromotions' | 'savePromotion' | 'changeWatch' | 'removePromotion'> &
    StoreChanges;
  readonly catalog: Pick<Catalog, 'reword' | 'snapshot' | 'changed' | 'configured'>;
  readonly audit: Pick<AuditLog, 'record' | 'list'>;
  readonly metrics: Pick<CallMetrics, 'recorded' | 'recentCalls'>;
  /** Calls after a promotion during which it is watched; 0: none are. */
  readonly watchCalls: () => number;
  readonly clock: Clock;
  readonly log: Log;
  /** False: every description is the server's own, and no promotion is read. */
  readonly isOn: () => boolean;
}

/** `suspended`: its tool has another name, description or input schema now. `absent`: its tool is not there. */
export type PromotionState = 'active' | 'suspended' | 'absent';

/** Reverts of one tool that are looked through. */
const mostReverts = 100;

export class Promotions {
  readonly #options: PromotionsOptions;
  readonly #stop: (() => void)[] = [];
  /** By toolKey. */
  #known: ReadonlyMap<string, StoredPromotion> = new Map();
  #states: ReadonlyMap<string, PromotionState> = new Map();
  #turns: Promise<unknown> = Promise.resolve();
  readonly #watch: Watch;
  readonly #follower: StoreFollower;

  constructor(options: PromotionsOptions) {
    this.#options = options;
    const { metrics, watchCalls, log } = options;
    this.#watch = new Watch({ promotions: this, metrics, watchCalls, log });
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Promotions',
      isMeant: ({ type }) => type === 'promotions',
      read: (told) => this.#inTurn(() => this.#readAgain(told)),
    });
  }

  /** Call it before agents are let in: from the first list on they read what was promoted. */
  async open(): Promise<void> {
    const { catalog } = this.#options;
    this.#stop.push(
      catalog.configured.on(() => this.#followConfig()),
      catalog.changed.on(() => this.#noteStates()),
    );
    await this.#follower.open(() => this.#inTurn(() => this.#apply()));
  }

  async close(): Promise<void> {
    for (const stop of this.#stop.splice(0)) stop();
    await this.#follower.close();
    await this.#turns;
    await this.#watch.close();
  }

  /** Those whose description agents read now. */
  inEffect(): readonly StoredPromotion[] {
    return this.list().filter((promotion) => this.stateOf(promotion) === 'active');
  }

  list(): readonly StoredPromotion[] {
    return [...this.#known.values()];
  }

  find(server: string, toolName: string): StoredPromotion | undefined {
    return this.#known.get(toolKeyOf({ server, tool: toolName }));
  }

  stateOf({ server, toolName }: Pick<StoredPromotion, 'server' | 'toolName'>): PromotionState {
    return this.#states.get(toolKeyOf({ server, tool: toolName })) ?? 'absent';
  }

  /** The promotion of a tool, if agents read it. */
  active(server: string, toolName: string): StoredPromotion | undefined {
    const promotion = this.find(server, toolName);
    return promotion && this.stateOf(promotion) === 'active' ? promotion : undefined;
  }

  /** Resolves when agents read it; from then on it is watched. A promotion of the tool that was there before is replaced. */
  promote(promotion: StoredPromotion, by = promotion.by): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.find(promotion.server, promotion.toolName);
      const watch = await this.#watch.begin(promotion);
      await this.#options.store.savePromotion({ ...promotion, watch });
      await this.#apply();
      const { candidateId, description, metrics, baseline, judge, evidence, fingerprint, forced, why } = promotion;
      await this.#record('promoted', promotion, by, {
        ...{ candidateId, description, judge, evidence, fingerprint },
        metrics: { ...metrics },
        baseline: { ...baseline },
        replaced: before?.candidateId ?? null,
        ...(forced && { forced, why: why ?? null }),
      });
    });
  }

  /**
   * Resolves when agents read the server's own description again; undefined where nothing was promoted, or another candidate
   * than the one that is named. `by` null: by itself.
   */
  revert(
    tool: Pick<StoredPromotion, 'server' | 'toolName'> & { readonly candidateId?: string },
    by: string | null,
    why: JsonObject = {},
  ): Promise<StoredPromotion | undefined> {
    return this.#inTurn(async () => {
      const promotion = this.find(tool.server, tool.toolName);
      if (tool.candidateId !== undefined && promotion?.candidateId !== tool.candidateId) return undefined;
      const wasThere = await this.#options.store.removePromotion(tool.server, tool.toolName);
      await this.#apply();
      if (!promotion || !wasThere) return undefined;
      await this.#record('reverted', promotion, by, { candidateId: promotion.candidateId, ...why });
      return promotion;
    });
  }

  /** When and by whom a promotion of this candidate was reverted last, as far as the audit knows; else empty. */
  async sayReverted({ server, toolName, candidateId, promotedAt }: StoredPromotion): Promise<string> {
    const question = { server, tool: toolName, action: 'description.reverted', since: Date.parse(promotedAt) };
    const { records } = await this.#options.audit.list({ ...question, limit: mostReverts });
    const last = records.find(({ detail }) => detail?.candidateId === candidateId);
    const why = typeof last?.detail?.why === 'string' ? `: ${last.detail.why}` : '.';
    return last ? ` Reverted here at ${new Date(last.at).toISOString()} by ${last.principalName}${why}` : '';
  }

  /** Changes what is kept of how a promotion does in real use, unless another one has taken its place. */
  changeWatch(promotion: StoredPromotion, change: ChangeWatch): Promise<void> {
    return this.#inTurn(() => this.#options.store.changeWatch(promotion, change));
  }

  /** One change at a time, each on top of the one before. */
  #inTurn<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    const turn = this.#turns.then(work);
    this.#turns = turn.catch(() => {});
    return turn;
  }

  #followConfig(): void {
    this.#inTurn(() => this.#apply()).catch((error) =>
      this.#options.log.warn('Promotions cannot be read, so descriptions stay as they are', {
        error: messageOf(error),
      }),
    );
  }

  /** Figures change every few calls, and nothing else depends on them. */
  async #readAgain(told: readonly StoreEvent[]): Promise<void> {
    const servers = new Set(told.map((event) => (event.type === 'promotions' ? event.server : undefined)));
    if (servers.has(undefined)) return this.#apply();
    const { store, isOn } = this.#options;
    const read = isOn() ? await Promise.all([...servers].map((server) => store.listPromotions(server))) : [];
    const renewed = read.flat().filter((one) => isSamePromotion(this.find(one.server, one.toolName), one));
    this.#known = new Map([...this.#known, ...byToolKey(renewed)]);
  }

  async #apply(): Promise<void> {
    const { store, catalog, isOn } = this.#options;
    const promotions = isOn() ? await store.listPromotions() : [];
    this.#known = byToolKey(promotions);
    catalog.reword(rewordingsOf(promotions));
    this.#noteStates();
    // Where nothing was ever promoted, calls do not pass here.
    if (this.#known.size > 0) this.#watch.open();
  }

  #noteStates(): void {
    const before = this.#states;
    const { servers } = this.#options.catalog.snapshot;
    const named = new Set([...this.#known.values()].map(({ server }) => server));
    const tools = [...named].flatMap((server) => servers.get(server)?.tools ?? []);
    const byKey = new Map(tools.map((entry) => [toolKeyOf({ server: entry.server, tool: entry.serverName }), entry]));
    this.#states = new Map([...this.#known.keys()].map((key) => [key, stateOfTool(byKey.get(key))]));
    for (const [key, promotion] of this.#known) {
      const [was, is] = [before.get(key), this.#states.get(key)];
      const { candidateId, fingerprint } = promotion;
      const act = actBetween(was, is);
      if (act) void this.#record(act, promotion, null, { candidateId, fingerprint });
    }
  }

  #record(
    act: 'promoted' | 'reverted' | 'suspended' | 'resumed',
    { server, toolName }: StoredPromotion,
    by: string | null,
    detail: JsonObject,
  ): Promise<void> {
    return this.#options.audit.record({
      kind: 'administration',
      action: `description.${act}`,
      principal: { id: by ?? 'gateway', name: by ?? 'gateway' },
      // Nobody's request, even where it is noticed while one is served.
      requestId: by === null ? null : undefined,
      ...{ server, tool: toolName, outcome: 'ok', detail },
    });
  }
}

function byToolKey(promotions: readonly StoredPromotion[]): Map<string, StoredPromotion> {
  return new Map(promotions.map((one) => [toolKeyOf({ server: one.server, tool: one.toolName }), one]));
}

/** The same candidate may be promoted again. */
function isSamePromotion(one: StoredPromotion | undefined, { candidateId, promotedAt }: StoredPromotion): boolean {
  return one?.candidateId === candidateId && one.promotedAt === promotedAt;
}

function stateOfTool(tool: Entry | undefined): PromotionState {
  if (!tool) return 'absent';
  return tool.promoted ? 'active' : 'suspended';
}

/** As it is shown wherever promotions are. */
export function shownPromotion(promotion: StoredPromotion, state: PromotionState) {
  const { candidateId, promotedAt, judge, by, evidence, forced, why } = promotion;
  return { candidateId, state, promotedAt, judge, by, evidence, ...(forced && { forced, why }) };
}

function actBetween(
  was: PromotionState | undefined,
  is: PromotionState | undefined,
): 'suspended' | 'resumed' | undefined {
  if (was === 'active' && is === 'suspended') return 'suspended';
  return was === 'suspended' && is === 'active' ? 'resumed' : undefined;
}

function rewordingsOf(promotions: readonly StoredPromotion[]): Rewordings {
  const byServer = Map.groupBy(promotions, ({ server }) => server);
  return new Map(
    [...byServer].map(([server, those]) => {
      const rewordings = those.map(({ toolName, description, example, fingerprint }) => {
        return [toolName, { description, example, fingerprint }] as const;
      });
      return [server, new Map(rewordings)];
    }),
  );
}
