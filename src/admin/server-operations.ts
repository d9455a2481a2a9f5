/** Operations on servers. */

import { z } from 'zod';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { legalName } from '../config/config.ts';
import type { StoredPin } from '../store/store.ts';
import { reportServer, type ServerReport } from '../tools/tools.ts';
import { noteUnmatched } from './change-settings.ts';
import { type AdminContext, opaqueObject, operation } from './operation.ts';

const named = z.strictObject({ name: z.string().min(1) });

/** A server after it was added or switched on: how it is and what it offers. */
export interface ServerOutcome extends ServerReport {
  readonly tools: readonly string[];
  /** Definitions withheld from agents until the owner approves them, with the reasons. */
  readonly held: readonly HeldBack[];
  /** Settings that have no effect, such as names that no tool has, in words. */
  readonly notes: readonly string[];
}

export interface HeldBack extends Pick<StoredPin, 'kind' | 'name' | 'reasons'> {}

export interface RefreshOutcome {
  readonly name: string;
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
  /** Why it could not be refreshed; the counts are then zero. */
  readonly error: string | null;
  /** How to fix it, if known. */
  readonly hint: string | null;
}

export interface ServerComparison {
  /** The server that is reached in the same way; null: none is. */
  readonly equalTo: string | null;
  readonly isFree: boolean;
}

export const serverOperations = {
  'servers.list': operation({
    summary: 'All servers with their state',
    audit: 'none',
    input: z.strictObject({}),
    run: ({ context }) =>
      Promise.all([...context.catalog.snapshot.servers.keys()].map((name) => reportServer(context, name))),
  }),
  'servers.add': operation({
    summary: 'Register a server, connect to it and list its tools',
    input: z.strictObject({
      name: z.string().min(1),
      spec: opaqueObject,
      /** True if a person confirms variables that change which code runs, such as PATH. */
      allowEnv: z.boolean().default(false),
    }),
    async run({ context, input }): Promise<ServerOutcome> {
      const spec = await context.registry.add(input.name, input.spec as JsonObject, input.allowEnv);
      await listedOrExited(context, spec.name);
      return outcome(context, spec.name);
    },
  }),
  'servers.compare': operation({
    summary: 'Tell if a server like this one is registered already, and if its name is free',
    audit: 'none',
    input: z.strictObject({
      name: z.string().min(1),
      spec: opaqueObject,
      /** Values of secrets that it refers to and that are not set yet. */
      secrets: z.record(z.string(), z.string()).default({}),
    }),
    async run({ context, input }): Promise<ServerComparison> {
      const given = new Map(Object.entries(input.secrets));
      const equal = context.registry.equalTo(input.name, input.spec as JsonObject, given);
      const isFree = context.registry.specs.every(({ name }) => name !== legalName(input.name));
      return { equalTo: equal?.name ?? null, isFree };
    },
  }),
  'servers.remove': operation({
    summary: 'Remove a server that was added at run time',
    input: named,
    async run({ context, input }): Promise<{ readonly name: string }> {
      await context.registry.remove(input.name);
      return { name: input.name };
    },
  }),
  'servers.enable': operation({
    summary: 'Switch a server on',
    input: named,
    async run({ context, input }): Promise<ServerOutcome> {
      await context.registry.setEnabled(input.name, true);
      await context.catalog.refresh(input.name).catch(() => {});
      return outcome(context, input.name);
    },
  }),
  'servers.disable': operation({
    summary: 'Switch a server off',
    input: named,
    async run({ context, input }): Promise<ServerOutcome> {
      await context.registry.setEnabled(input.name, false);
      return outcome(context, input.name);
    },
  }),
  'servers.refresh': operation({
    summary: 'Ask one server, or all, for their tools again',
    input: z.strictObject({
      name: z.string().optional(),
      force: z.boolean().default(false),
      /** True to answer with the first failure, while the server is tried again in the background. */
      once: z.boolean().default(false),
    }),
    async run({ context, input }): Promise<RefreshOutcome[]> {
      const names =
        input.name === undefined
          ? context.registry.specs.filter((spec) => spec.isEnabled).map((spec) => spec.name)
          : [context.registry.find(input.name).name];
      return Promise.all(names.map((name) => refresh(context, name, input)));
    },
  }),
  'servers.output': operation({
    summary: 'The latest output of a server, with secrets masked',
    audit: 'none',
    input: named,
    async run({ context, input }) {
      context.registry.find(input.name);
      const status = context.downstream.status(input.name);
      return {
        name: input.name,
        pids: status?.pids ?? [],
        stderr: status?.stderr ?? '',
        junkLines: status?.junkLines ?? 0,
        junkSample: status?.junkSample ?? '',
        warnings: context.catalog.warnings(input.name),
      };
    },
  }),
};

/** Resolves when a new server has been listed or could not be, and at once when its program has ended: to try it again takes long. */
export async function listedOrExited({ catalog, downstream }: AdminContext, name: string): Promise<void> {
  const exited = Promise.withResolvers<void>();
  const stop = downstream.changed.on((server) => {
    if (server === name && downstream.status(name)?.reason === 'exited') exited.resolve();
  });
  await Promise.race([catalog.refresh(name).catch(() => {}), exited.promise]);
  stop();
}

export async function outcome(context: AdminContext, name: string): Promise<ServerOutcome> {
  const report = await reportServer(context, name);
  const entry = context.catalog.snapshot.servers.get(name);
  const tools = entry?.tools.map((tool) => tool.name) ?? [];
  const held = context.catalog.pins
    .list(name)
    .filter(({ state }) => state === 'held')
    .map(({ kind, name: own, reasons }) => ({ kind, name: own, reasons }));
  return { ...report, tools, held, notes: entry ? noteUnmatched(entry) : [] };
}

interface RefreshInput {
  /** The server that was named; one that was is tried at once, even during back-off. */
  readonly name?: string | undefined;
  readonly force: boolean;
  readonly once: boolean;
}

async function refresh(context: AdminContext, name: string, input: RefreshInput): Promise<RefreshOutcome> {
  const { name: named, force, once } = input;
  const first = once ? firstFailure(context, name) : null;
  try {
    if (force) await context.downstream.reset(name);
    else if (named !== undefined) context.downstream.hurry(name);
    const listing = context.catalog.relist(name);
    const diff = await (first ? Promise.race([listing, first.failure]) : listing);
    if (force) context.search.rebuild(name);
    return { name, ...diff, error: null, hint: null };
  } catch (error) {
    const hint = context.downstream.status(name)?.hint ?? null;
    return { name, added: [], updated: [], removed: [], unchanged: 0, error: messageOf(error), hint };
  } finally {
    first?.stop();
  }
}

/** Rejects as soon as a try to reach the server has failed, whatever is tried after it. */
function firstFailure(
  { downstream }: AdminContext,
  name: string,
): { readonly failure: Promise<never>; readonly stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  // Where the listing ends first, nobody waits for this.
  promise.catch(() => {});
  const stop = downstream.changed.on((server) => {
    const status = server === name ? downstream.status(name) : undefined;
    // Only while the next try is waited for is the error that of the last one.
    const error = status?.nextRetryAt === null ? null : status?.lastError;
    if (typeof error === 'string') reject(new GatewayError('SERVER_NOT_RUNNING', error));
  });
  return { failure: promise, stop };
}
