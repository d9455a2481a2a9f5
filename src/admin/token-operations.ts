/** Operations on tokens: who may come in, and with what rights. */

import { z } from 'zod';
import { type AccessControl, type Principal, readsAsOwn, type Scope, scopeNames } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { nearest } from '../base/nearest.ts';
import { isAmong } from '../base/pattern.ts';
import { refuseAsName } from '../base/refuse-as-name.ts';
import { surfaceNames } from '../config/config.ts';
import type { StoredToken } from '../store/store.ts';
import { type AdminContext, operation } from './operation.ts';

/** Such a name can be typed without quotes, and stand in a config and in a log. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

const minuteMs = 60_000;
const longestMs = 3_660 * 24 * 60 * minuteMs;

export interface TokenReport {
  readonly id: string;
  readonly name: string;
  /** `file`: one of the two that every data folder has. */
  readonly origin: 'store' | 'file';
  readonly state: 'active' | 'expired' | 'revoked';
  readonly scopes: readonly string[];
  /** Names with wildcards; null: all servers. */
  readonly servers: readonly string[] | null;
  readonly project: string | null;
  readonly surface: string | null;
  /** The name of the token that made it, where that is known. */
  readonly createdBy: string | null;
  readonly createdAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface CreatedToken extends TokenReport {
  /** Told here and never again. */
  readonly token: string;
  /** Names and patterns that match no server. */
  readonly unmatched: readonly string[];
}

export interface RevokedToken extends TokenReport {
  /** Names of tokens that were made with it and are still good. */
  readonly made: readonly string[];
}

export const tokenOperations = {
  'tokens.create': operation({
    summary: 'Create a token; it is shown once',
    input: z.strictObject({
      name: z.string().regex(namePattern, 'must be letters, digits and . _ @ -, and at most 64 of them'),
      scopes: z.array(z.enum(scopeNames)).min(1).default(['use']),
      servers: z.array(z.string().min(1).max(256)).max(1_000).optional(),
      project: z.string().min(1).optional(),
      surface: z.enum(surfaceNames).optional(),
      expiresInMs: z.number().int().min(minuteMs).max(longestMs).optional(),
    }),
    async run({ context, input, principal }): Promise<CreatedToken> {
      const { access, clock } = context;
      const { name, expiresInMs, servers = null, surface = null } = input;
      refuseAsName('token', name);
      checkFree(context, name);
      // Throws with the nearest name where there is no such project.
      const project = input.project === undefined ? null : context.projects.get(input.project).name;
      const expiresAt = expiresInMs === undefined ? null : clock.now() + expiresInMs;
      const wanted = { scopes: [...new Set(input.scopes)], servers, project, expiresAt };
      const rights = withinOwnRights(wanted, principal, access);
      const id = randomId();
      const token = await access.createToken(id, { name, surface, createdBy: principal.id, ...rights });
      if (!access.renew(principal)) {
        // The token that made it was revoked meanwhile, and its owner heard what else to revoke.
        await access.revokeToken(id);
        throw new GatewayError('UNAUTHENTICATED', 'The token of this request is no longer valid.');
      }
      const names = context.registry.specs.map((spec) => spec.name);
      const unmatched = (rights.servers ?? []).filter((pattern) => !names.some((name) => isAmong([pattern], name)));
      return { ...describeToken(context, find(context, id)), token, unmatched };
    },
  }),
  'tokens.list': operation({
    summary: 'All tokens with their rights and their last use; never the tokens themselves',
    audit: 'none',
    input: z.strictObject({ ended: z.boolean().default(false) }),
    async run({ context, input }): Promise<TokenReport[]> {
      const made = context.access.tokens().map((token) => describeToken(context, token));
      return [...fileTokens(context), ...made.filter(({ state }) => input.ended || state === 'active')];
    },
  }),
  'tokens.revoke': operation({
    summary: 'Revoke a token at once, and end its sessions, streams and calls',
    input: z.strictObject({ name: z.string().min(1) }),
    async run({ context, input }): Promise<RevokedToken> {
      const { id } = findByName(context, input.name);
      await context.access.revokeToken(id);
      const made = context.access.tokensMadeBy(id).map((token) => token.name);
      return { ...describeToken(context, find(context, id)), made };
    },
  }),
};

/** Missing files are made again at the start. */
function fileTokens({ access }: AdminContext): TokenReport[] {
  const scopesOf = { owner: ['use', 'admin', 'metrics'], agent: ['use'] };
  return Object.entries(scopesOf).map(([name, scopes]) => {
    const nothing = { servers: null, project: null, surface: null };
    const times = { createdBy: null, createdAt: null, expiresAt: null, revokedAt: null };
    const lastUsedAt = timeOf(access.lastUse(name) ?? null);
    return { id: name, name, origin: 'file', state: 'active', scopes, ...nothing, ...times, lastUsedAt };
  });
}

function checkFree({ access, clock, config }: AdminContext, name: string): void {
  // People take names that differ only in capitals for one.
  const plain = name.toLowerCase();
  if (readsAsOwn(name)) {
    throw new GatewayError('NAME_TAKEN', `The name "${name}" is reserved for the gateway itself.`, {
      hint: 'Choose another one.',
    });
  }
  const living = access.tokens().filter((token) => stateOf(token, clock.now()) !== 'revoked');
  const taken = living.find((token) => token.name.toLowerCase() === plain);
  if (taken) {
    throw new GatewayError('NAME_TAKEN', `There is already a token "${taken.name}".`, {
      hint: `Choose another name, or revoke it first: toolcrib token revoke ${taken.name}`,
    });
  }
  const active = living.filter((token) => stateOf(token, clock.now()) === 'active');
  if (active.length < config().limits.tokens) return;
  throw new GatewayError('USAGE', `There are already ${active.length} active tokens: the limit is reached.`, {
    hint: 'Revoke those that are not used ("toolcrib token list" shows the last use of each), or raise "limits.tokens".',
  });
}

/** By the name of one that is not revoked, else by id. */
function findByName(context: AdminContext, name: string): StoredToken {
  if (name === 'owner' || name === 'agent') {
    throw new GatewayError('USAGE', `The token "${name}" belongs to the data folder and is not revoked.`, {
      hint: `To replace it: stop the gateway, delete the file ${name}-token in ${context.about().dataDir}, start it again.`,
    });
  }
  const tokens = context.access.tokens();
  const living = tokens.filter((token) => token.revokedAt === null);
  const found = living.find((token) => token.name === name) ?? tokens.find((token) => token.id === name);
  if (found && found.revokedAt === null) return found;
  if (found || tokens.some((token) => token.name === name))
    throw new GatewayError('USAGE', `The token "${name}" is revoked already.`);
  throw unknownToken(context, name);
}

/** The trouble with the name of a token that nobody can use. */
export function unknownToken({ access }: AdminContext, name: string): GatewayError {
  const living = access.tokens().filter((token) => token.revokedAt === null);
  const near = nearest(
    name,
    living.map((token) => token.name),
  );
  return new GatewayError('USAGE', `There is no token "${name}".`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.map((item) => `"${item}"`).join(' or ')}?`
        : '"toolcrib token list" shows all tokens.',
    data: { nearest: near },
  });
}

function find({ access }: AdminContext, id: string): StoredToken {
  const found = access.tokens().find((token) => token.id === id);
  if (!found) throw new GatewayError('STORE_BROKEN', 'A token that was just written is not there.');
  return found;
}

function describeToken({ access, clock }: AdminContext, token: StoredToken): TokenReport {
  const { id, name, scopes, servers, project, surface, createdBy } = token;
  return {
    id,
    name,
    origin: 'store',
    state: stateOf(token, clock.now()),
    scopes,
    servers,
    project,
    surface,
    createdBy: createdBy === null ? null : access.nameOf(createdBy),
    createdAt: timeOf(token.createdAt),
    expiresAt: timeOf(token.expiresAt),
    revokedAt: timeOf(token.revokedAt),
    lastUsedAt: timeOf(token.lastUsedAt),
  };
}

function stateOf({ revokedAt, expiresAt }: StoredToken, now: number): TokenReport['state'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

interface Rights {
  readonly scopes: readonly Scope[];
  /** Names with wildcards; null: all servers. */
  readonly servers: readonly string[] | null;
  readonly project: string | null;
  readonly expiresAt: number | null;
}

/** A right without a limit gets the limit of the giver; a right beyond it is refused, so that nobody is surprised later. */
function withinOwnRights(wanted: Rights, giver: Principal, access: Pick<AccessControl, 'termsOf'>): Rights {
  const { servers: own } = giver;
  const { project, expiresAt } = access.termsOf(giver);
  for (const scope of wanted.scopes) if (!giver.scopes.has(scope)) throw tooMuch(`the scope "${scope}"`);
  // A name with wildcards fits into another one exactly where that one fits it as it is written.
  const outside = own && wanted.servers?.find((pattern) => !isAmong(own, pattern));
  if (outside !== undefined) throw tooMuch(`servers beyond "${own?.join('", "')}", such as "${outside}"`);
  if (project !== null && wanted.project !== null && wanted.project !== project)
    throw tooMuch(`another project than its own, "${project}"`);
  if (expiresAt !== null && wanted.expiresAt !== null && wanted.expiresAt > expiresAt)
    throw tooMuch(`more time than it has itself, until ${new Date(expiresAt).toISOString()}`);
  return {
    scopes: wanted.scopes,
    servers: wanted.servers ?? own ?? null,
    project: wanted.project ?? project,
    expiresAt: wanted.expiresAt ?? expiresAt,
  };
}

function tooMuch(what: string): GatewayError {
  return new GatewayError('ACCESS_DENIED', `This token cannot grant rights that it lacks: ${what}.`, {
    hint: 'Ask for less, or make it with the owner token.',
  });
}
