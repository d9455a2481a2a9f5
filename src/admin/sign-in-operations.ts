/** Operations on sign-ins to remote servers. */

import { z } from 'zod';
import { abortable, sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { ServerSpec } from '../config/config.ts';
import {
  markIn,
  type ServerSignIns,
  type SignInEnd,
  type SignInReturn,
  type SignInStart,
  type SignInState,
} from '../downstream/downstream.ts';
import { type AdminContext, operation } from './operation.ts';

/** A sign-in that waits for a person. */
export interface StartedSignIn extends Omit<SignInStart, 'expiresAt'> {
  readonly name: string;
  readonly expiresAt: string;
}

export interface SignInReport {
  readonly name: string;
  readonly state: 'waiting' | 'done' | 'failed';
  /** Why it failed. */
  readonly error: string | null;
  readonly hint: string | null;
}

/** How it stands with signing in to one server. */
export interface SignInRow {
  readonly name: string;
  readonly state: SignInState;
}

const name = z.string().min(1);

export const signInOperations = {
  'servers.signIns': operation({
    summary: 'The sign-ins to remote servers, and which servers want one',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<SignInRow[]> {
      const signIns = signInsOf(context);
      const found = context.registry.specs.map(async (spec) => {
        const state = await signIns.stateOf(spec);
        return state === null ? [] : [{ name: spec.name, state }];
      });
      return (await Promise.all(found)).flat();
    },
  }),
  'servers.signIn': operation({
    summary: 'Start a sign-in to a remote server: returns the address to open in a browser',
    input: z.strictObject({ name, device: z.boolean().default(false) }),
    async run({ context, input, principal }): Promise<StartedSignIn> {
      const spec = context.registry.find(input.name);
      const signIns = signInsOf(context);
      // A server reports a missing scope only when a call needs it.
      const state = await signIns.stateOf(spec);
      if (state !== null && state !== 'more-rights') await listenToServer(context, spec, state);
      const start = await signIns.begin(spec, input.device ? 'device' : 'browser', principal);
      return { name: spec.name, ...start, expiresAt: new Date(start.expiresAt).toISOString() };
    },
  }),
  'servers.signInEnd': operation({
    summary: 'Wait for the end of a sign-in',
    audit: 'none',
    input: z.strictObject({ name, flow: z.string().min(1), waitMs: z.int().min(0).max(30_000).default(0) }),
    async run({ context, input, signal }): Promise<SignInReport> {
      const signIns = signInsOf(context);
      await signIns.lookElsewhere(input.flow);
      const outcome = signIns.outcome(input.flow);
      const patience = new AbortController();
      const waiting = sleep(context.clock, input.waitMs, patience.signal).then(() => undefined);
      waiting.catch(() => {});
      try {
        const end = await abortable(Promise.race([outcome, waiting]), signal);
        return end === undefined ? { name: input.name, state: 'waiting', error: null, hint: null } : reportOf(end);
      } finally {
        patience.abort();
      }
    },
  }),
  'servers.finishSignIn': operation({
    summary: 'Finish a sign-in with the address that the browser was redirected to',
    input: z.strictObject({ name, address: z.string().min(1).max(16_384) }),
    async run({ context, input }): Promise<SignInReport> {
      const spec = context.registry.find(input.name);
      return reportOf(await signInsOf(context).complete(returnIn(input.address), spec.name));
    },
  }),
  'servers.signOut': operation({
    summary: 'Forget the sign-in to a remote server, and revoke it if the server supports that',
    input: z.strictObject({ name }),
    async run({ context, input }) {
      const spec = context.registry.find(input.name);
      return { name: spec.name, ...(await signInsOf(context).signOut(spec)) };
    },
  }),
};

function signInsOf({ downstream }: AdminContext): ServerSignIns {
  if (downstream.signIns !== null) return downstream.signIns;
  throw new GatewayError('UNREACHABLE', 'This gateway has no sign-in to servers.');
}

/** A server says how to sign in when it refuses; one that does not refuse may still be signed in to. */
async function listenToServer({ downstream }: AdminContext, spec: ServerSpec, state: SignInState): Promise<void> {
  // Where it works, its calls go on meanwhile.
  if (state !== 'signed-in') await downstream.reset(spec.name);
  await downstream.list(spec.name).catch(() => {});
}

function reportOf({ server, trouble }: SignInEnd): SignInReport {
  const state = trouble === null ? 'done' : 'failed';
  return { name: server, state, error: trouble?.message ?? null, hint: trouble?.hint ?? null };
}

/** All of it is needed: its path says who sent the browser there. */
function returnIn(text: string): SignInReturn {
  const url = URL.parse(text.trim());
  const mark = url === null ? undefined : markIn(url.pathname);
  if (url !== null && mark !== undefined) return { mark, parameters: url.searchParams };
  throw new GatewayError('USAGE', 'This is not the address a sign-in ends at.', {
    hint: 'Paste the whole address that the browser shows after the sign-in.',
  });
}
