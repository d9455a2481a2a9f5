/** Operations on the gateway as a whole. */

import { z } from 'zod';
import { type CodeState, type Principal, publicPageOf } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { localUrlOf } from '../base/local-url.ts';
import { limits } from '../config/config.ts';
import { examine, type HealthFinding } from './examine.ts';
import { type AdminContext, type GatewayFacts, operation } from './operation.ts';
import { listReplicas, type ReplicaRow } from './replica-rows.ts';
import { type SurfaceCosts, surfaceCosts, trafficDays } from './surface-costs.ts';

export interface Diagnosis {
  readonly gateway: GatewayFacts;
  /** null where the store cannot be read, which is then a finding. */
  readonly surfaces: SurfaceCosts | null;
  readonly findings: readonly HealthFinding[];
}

export interface SignInLink {
  readonly url: string;
  /** The part of the link that works once. Both are null where a browser needs no signing in. */
  readonly code: string | null;
  readonly expiresInMs: number | null;
  /** Where the link works, if that is not everywhere that the gateway can be reached. */
  readonly remark: string | null;
}

export const gatewayOperations = {
  'gateway.status': operation({
    summary: 'The running gateway: version, address and data folder',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<GatewayFacts> {
      return context.about();
    },
  }),
  'gateway.stop': operation({
    summary: 'Stop the gateway; running calls get time to finish',
    input: z.strictObject({}),
    async run({ context }): Promise<GatewayFacts> {
      if (context.stop === undefined)
        throw new GatewayError('UNREACHABLE', 'No gateway is running that could be stopped.');
      context.stop();
      return context.about();
    },
  }),
  'gateway.replicas': operation({
    summary: 'The gateways on this store: one, or several on a PostgreSQL database',
    audit: 'none',
    input: z.strictObject({}),
    run({ context }): Promise<readonly ReplicaRow[]> {
      return listReplicas(context);
    },
  }),
  'gateway.signInLink': operation({
    summary: 'A link with which a browser signs in, once and soon',
    input: z.strictObject({}),
    async run({ context, principal }): Promise<SignInLink> {
      const { url, isAuthOff } = context.about();
      if (url === null) {
        throw new GatewayError('UNREACHABLE', 'No gateway is running that a browser could sign in to.', {
          hint: 'Start it: toolcrib start',
        });
      }
      // Where nobody is asked for a token, there is nothing to sign in to.
      if (isAuthOff) return { url: `${url}/`, code: null, expiresInMs: null, remark: null };
      if (!context.access.isOwn(principal)) {
        throw new GatewayError('USAGE', 'A token of an issuer cannot sign a browser in.', {
          hint: 'Make the link with a token of the gateway, such as the owner token of its data folder.',
        });
      }
      const code = context.access.signIns.makeCode(principal);
      // The part after "#" stays in the browser: no log, proxy or prefetch sees the code.
      const page = pageFor(context, principal, url);
      return { ...page, url: `${page.url}#code=${code}`, code, expiresInMs: limits.signInCodeMs };
    },
  }),
  'gateway.signInLinkState': operation({
    summary: 'Tell if a sign-in link still waits, was used, or has expired',
    audit: 'none',
    input: z.strictObject({ code: z.string().max(100) }),
    async run({ context, input }): Promise<{ readonly state: CodeState }> {
      return { state: context.access.signIns.stateOf(input.code) };
    },
  }),
  'gateway.surfaces': operation({
    summary: 'The surface agents see, why, and its cost in real traffic compared with other surfaces',
    audit: 'none',
    input: z.strictObject({ days: z.number().int().min(1).max(3_660).default(trafficDays) }),
    run({ context, input }): Promise<SurfaceCosts> {
      return surfaceCosts(context, input.days);
    },
  }),
  'gateway.doctor': operation({
    summary: 'Problems, and how to fix them',
    audit: 'none',
    input: z.strictObject({ connect: z.boolean().default(true) }),
    async run({ context, input }): Promise<Diagnosis> {
      const findings = await examine(context, input.connect);
      // After it, because servers that were tried may be listed now.
      const { surfaces, trouble } = await tryCosts(context);
      return { gateway: context.about(), surfaces, findings: [...findings, ...trouble] };
    },
  }),
};

/** The public address, where this principal may come in by it. */
function pageFor(
  { config, access }: AdminContext,
  principal: Principal,
  listening: string,
): Pick<SignInLink, 'url' | 'remark'> {
  const isLetInFromAfar = access.issuer?.admitsOwn(principal, false) ?? true;
  const publicPage = isLetInFromAfar ? publicPageOf(config()) : null;
  if (publicPage) return { url: publicPage.href, remark: null };
  const local = localUrlOf(listening);
  return { url: `${local}/`, remark: local === listening ? null : onlyHere };
}

const onlyHere =
  'It works on the machine of the gateway. From another one, put its address, or a name of it from "access.allowedHosts", in place of 127.0.0.1, or set "oauth.publicUrl".';

/** A failing store must not keep the rest from being reported. */
async function tryCosts(
  context: AdminContext,
): Promise<{ readonly surfaces: SurfaceCosts | null; readonly trouble: readonly HealthFinding[] }> {
  try {
    return { surfaces: await surfaceCosts(context, trafficDays), trouble: [] };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { message, hint } = error;
    return { surfaces: null, trouble: [{ severity: 'problem', subject: 'store', message, hint }] };
  }
}
