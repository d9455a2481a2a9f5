/** What the owner says about signing in to a server: turns its `oauth` member into settings and checks them. */

import { z } from 'zod';
import type { ServerContext } from './build-transport.ts';
import { wrongValue } from './issues.ts';
import { formatPath, quoteKey } from './locate.ts';
import { listOf, urlTrouble, word, zodFaults } from './schema-parts.ts';
import { oauthMembers, type ServerInput } from './server-schema.ts';
import type { OAuthSettings } from './server-spec.ts';

const text = () => z.string({ error: 'a string' });
const scopes = () => z.union([text(), listOf(text(), '')], { error: 'a list of scopes' }).optional();

const schema = z.object({
  clientId: word('a client id').optional(),
  clientSecret: text().optional(),
  scopes: scopes(),
  scope: scopes(),
  issuer: text().optional(),
} satisfies Record<keyof typeof oauthMembers, z.ZodType>);

const none: OAuthSettings = { isOff: false, clientId: null, clientSecret: null, scopes: null, issuer: null };

/** Undefined: nothing is said, and all is found out from the server itself. */
export function buildOauth({ oauth }: ServerInput, context: ServerContext): OAuthSettings | undefined {
  if (oauth === undefined || oauth === true) return undefined;
  if (oauth === false) return { ...none, isOff: true };
  const at = [...context.path, 'oauth'];
  warnUnknown(oauth, context);
  const reading = schema.safeParse(oauth);
  if (!reading.success) {
    for (const fault of zodFaults(reading.error, at, context.source)) context.report(fault);
    return undefined;
  }
  const { clientId = null, clientSecret = null, issuer = null } = reading.data;
  if (clientId === null && clientSecret !== null) {
    const message = `"${formatPath([...at, 'clientSecret'])}" is of no use without "clientId".`;
    context.report({ path: [...at, 'clientSecret'], at: 'key', message });
  }
  if (clientId !== null && issuer === null) {
    const message = `"${formatPath([...at, 'clientId'])}" is not used without "issuer": which authorization server it was registered with.`;
    context.warn({ path: [...at, 'clientId'], at: 'key', message });
  }
  const trouble = issuer === null ? null : urlTrouble(issuer);
  if (trouble !== null) context.report(wrongValue(context.source, [...at, 'issuer'], trouble));
  const written = reading.data.scopes ?? reading.data.scope;
  const wanted = typeof written === 'string' ? written.split(' ').filter((scope) => scope !== '') : written;
  return { ...none, clientId, clientSecret, issuer, scopes: wanted === undefined ? null : [...new Set(wanted)] };
}

/** Agents write more into this member than is of use here. */
function warnUnknown(oauth: Readonly<Record<string, unknown>>, context: ServerContext): void {
  const known = Object.keys(oauthMembers);
  for (const key of Object.keys(oauth)) {
    if (known.includes(key)) continue;
    const path = [...context.path, 'oauth', key];
    const message = `"${formatPath(path)}" is ignored; of "oauth" these are used: ${known.map(quoteKey).join(', ')}.`;
    context.warn({ path, at: 'key', message });
  }
}
