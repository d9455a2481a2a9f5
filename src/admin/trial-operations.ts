/** Operations on trials: they show a new server, or a new connection of a server, before it takes effect. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { permissionOfServer } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { givenText } from '../base/text.ts';
import type { OpenTrial } from '../catalog/catalog.ts';
import { limits, type Permission, permissionNames, type ServerSpec } from '../config/config.ts';
import { sourceOf } from '../downstream/downstream.ts';
import type { StoredPin } from '../store/store.ts';
import { isOpen, isWorthALook } from '../trust/trust.ts';
import { changedBlock, describeEdit, ownTools } from './change-settings.ts';
import { type AdminContext, type OperationRequest, opaqueObject, operation } from './operation.ts';
import { listedOrExited } from './server-operations.ts';
import { connectionMembers, type ServerDetails, serverDetails, withConnection } from './setting-operations.ts';

const name = z.string().min(1);
const tryInput = z.strictObject({
  name,
  /** The entry of a new server. Without it, the trial is about another connection of an existing server. */
  spec: opaqueObject.optional(),
  ...connectionMembers,
  connection: connectionMembers.connection.optional(),
});
const trialInput = { name, trial: z.string().min(1) };

/** The judgement of a definition. Agents would not get it if it is withheld or on hold. They would get a marked one, but it is worth a look. */
type Verdict = 'withheld' | 'on-hold' | 'marked';

/** One offer of a server, and whether agents would get it. */
interface TriedOffer {
  readonly kind: StoredPin['kind'];
  readonly name: string;
  /** null: the check found nothing. */
  readonly verdict: Verdict | null;
  /** Why the verdict is not null. */
  readonly reasons: readonly string[];
}

export interface TriedTool extends TriedOffer {
  readonly description: string;
  /** The server's own claims: `readOnlyHint` and others. */
  readonly annotations: unknown;
  readonly permission: Permission;
}

/** The offer of a server on trial. Agents know nothing of it. */
export interface ShownTrial {
  readonly name: string;
  /** Its id, for `servers.stay` and `servers.keep`. */
  readonly trial: string;
  /** It ends at this time at the latest. */
  readonly endsAt: string;
  /** False: another connection of an existing server. */
  readonly isNew: boolean;
  readonly tools: readonly TriedTool[];
  /** Resources, templates, prompts, and the server's words about itself. */
  readonly others: readonly TriedOffer[];
  /** Tools that the change would add to the server, and tools that it would remove. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** True if earlier approvals no longer hold, because it is another program or address. */
  readonly isOther: boolean;
  /** Why listing it failed; there are no tools then. */
  readonly error: string | null;
  readonly hint: string | null;
  readonly reason: string | null;
  readonly stderr: string;
}

export const trialOperations = {
  'servers.try': operation({
    summary: `Try a new server, or another connection of an existing one, and show what it offers. Agents see nothing of it before servers.keep. The trial ends after ${limits.trialGraceMs / 1_000} seconds unless you call servers.stay`,
    input: tryInput,
    async run(request): Promise<ShownTrial> {
      const { context, input, signal } = request;
      if ((input.spec === undefined) === (input.connection === undefined))
        throw new GatewayError('USAGE', 'Give either "spec" (a new server) or "connection" (an existing one).');
      const plan = input.spec ? planOfNew(request, input.spec as JsonObject) : planOfChange(request);
      return shown(context, plan.spec, await context.trials.begin(plan, signal));
    },
  }),
  'servers.stay': operation({
    summary: `Stay with a trial. It answers after ${limits.trialStayMs / 1_000} seconds; call it again while isOpen is true. A trial ends when this request is cut, or ${limits.trialMs / 60_000} minutes after it began`,
    audit: 'none',
    input: z.strictObject(trialInput),
    run: async ({ context, input, signal }): Promise<{ readonly isOpen: boolean }> => ({
      isOpen: await context.trials.stay(input, signal),
    }),
  }),
  'servers.keep': operation({
    summary: 'Keep a server or a connection as its trial showed it, and set permissions for its tools',
    input: z.strictObject({
      ...trialInput,
      permissions: z.record(z.string(), z.enum(permissionNames)).default({}),
    }),
    async run({ context, input: { permissions, ...address } }): Promise<ServerDetails> {
      await context.trials.keep(address, permissions);
      if (context.registry.find(address.name).isEnabled) await listedOrExited(context, address.name);
      return serverDetails(context, address.name);
    },
  }),
};

type Plan = Parameters<AdminContext['trials']['begin']>[0];
type TryRequest = OperationRequest<z.output<typeof tryInput>>;

function planOfNew({ context: { registry }, input }: TryRequest, raw: JsonObject): Plan {
  const spec = registry.previewNew(input.name, raw, input.allowEnv);
  return {
    spec: { ...spec, isEnabled: true },
    keep(tried, permissions) {
      refuseUnknownTools(spec, tried.trial.offer?.tools, permissions);
      return registry.add(input.name, withPermissions(spec, raw, permissions), input.allowEnv, tried);
    },
  };
}

function planOfChange({ context: { registry }, input }: TryRequest): Plan {
  const { name: wanted, connection = {}, allowEnv } = input;
  const changed = (raw: JsonObject) => withConnection(wanted, raw, connection, allowEnv);
  const edit = describeEdit({ connection });
  const spec = registry.preview(wanted, (_, raw) => changed(raw), edit);
  return {
    spec: { ...spec, isEnabled: true },
    keep(tried, permissions) {
      refuseUnknownTools(spec, tried.trial.offer?.tools, permissions);
      const keepAsTried = (now: ServerSpec, raw: JsonObject) => {
        const entry = changed(raw);
        refuseUntried(
          spec,
          registry.preview(wanted, () => entry, edit),
        );
        return withPermissions(now, entry, permissions);
      };
      return registry.set(wanted, keepAsTried, edit, tried);
    },
  };
}

type Permissions = Readonly<Record<string, Permission>>;

function withPermissions(spec: ServerSpec, raw: JsonObject, permissions: Permissions): JsonObject {
  return Object.keys(permissions).length === 0 ? raw : changedBlock(spec, raw, { permissions });
}

/** Another page may have changed the rest of the entry, or removed the server and added another one. */
function refuseUntried(tried: ServerSpec, kept: ServerSpec): void {
  const [before, now] = [tried, kept].map(({ identity, transport }) => identity ?? transport);
  if (isDeepStrictEqual(before, now)) return;
  throw new GatewayError('USAGE', `Server "${tried.name}" was changed while its new connection was tried.`, {
    hint: 'Try the connection again.',
  });
}

/** A typo would otherwise change nothing in silence. */
function refuseUnknownTools(
  spec: ServerSpec,
  offered: readonly Readonly<Record<string, unknown>>[] | undefined,
  permissions: Permissions,
): void {
  const own = offered?.map((tool) => String(tool.name));
  const unknown = Object.keys(permissions).find((tool) => own && !own.includes(tool));
  if (own === undefined || unknown === undefined) return;
  throw new GatewayError('TOOL_NOT_FOUND', `Server "${spec.name}" has no tool "${unknown}".`, {
    data: { nearest: nearest(unknown, own) },
  });
}

function shown(context: AdminContext, spec: ServerSpec, { id, endsAt, trial, preview }: OpenTrial): ShownTrial {
  const { registry, catalog, downstream } = context;
  const { error, stderr } = trial;
  const before = downstream.spec(spec.name);
  const entry = catalog.snapshot.servers.get(spec.name);
  const now = new Set(entry && ownTools(entry));
  const [tools = [], others = []] = [
    preview?.pins.filter(({ kind }) => kind === 'tool').map((pin) => triedTool(spec, pin)),
    preview?.pins.filter(({ kind }) => kind !== 'tool').map(triedOffer),
  ];
  const names = new Set(tools.map((tool) => tool.name));
  return {
    ...{ name: spec.name, trial: id, endsAt: new Date(endsAt).toISOString(), isNew: before === undefined },
    ...{ tools, others },
    added: [...names.difference(now)],
    removed: trial.offer === null ? [] : [...now.difference(names)],
    isOther: before !== undefined && sourceOf(spec) !== sourceOf(registry.find(spec.name)),
    error: error?.message ?? null,
    hint: error?.hint ?? null,
    reason: typeof error?.data?.reason === 'string' ? error.data.reason : null,
    stderr,
  };
}

function triedTool(spec: ServerSpec, pin: StoredPin): TriedTool {
  const { description, annotations } = (pin.pending ?? pin.approved)?.definition ?? {};
  const permission = permissionOfServer(spec, pin.name);
  return { ...triedOffer(pin), description: givenText(description), annotations, permission };
}

function triedOffer(pin: StoredPin): TriedOffer {
  const { kind, reasons } = pin;
  const verdict = verdictOn(pin);
  return { kind, name: pin.name, verdict, reasons: verdict === null ? [] : reasons.map(({ sentence }) => sentence) };
}

function verdictOn(pin: StoredPin): Verdict | null {
  if (isOpen(pin)) return pin.approved === null ? 'withheld' : 'on-hold';
  return isWorthALook(pin) ? 'marked' : null;
}
