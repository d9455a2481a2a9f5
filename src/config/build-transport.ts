/** How a server is reached: turns `command` or `url` with what belongs to them into a transport, and checks both. */

import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../base/folders.ts';
import { headerValue, type SecretLookup } from './expand-env.ts';
import { type Report, wrongValue } from './issues.ts';
import { formatPath, type KeyPath, quoteKey, type Source } from './locate.ts';
import { listSchema, urlTrouble, word, zodFaults } from './schema-parts.ts';
import { oauthMembers, type ServerInput, transportKinds } from './server-schema.ts';
import type { HttpSpec, OAuthSettings, StdioSpec } from './server-spec.ts';

/** Where a server's block stands and what it is read against. */
export interface ServerContext {
  readonly source: Source;
  /** The path of the server's block. */
  readonly path: KeyPath;
  readonly env: NodeJS.ProcessEnv;
  /** Left out where nobody knows the secrets: references to them are then left alone. */
  readonly secrets?: SecretLookup | undefined;
  /** The folder that a relative `cwd` starts from; null: it must be absolute. */
  readonly baseDir: string | null;
  readonly report: Report;
  readonly warn: Report;
}

type TransportKind = StdioSpec['kind'] | HttpSpec['kind'];

/** null: mistakes were reported that leave no transport. */
export function buildTransport(input: ServerInput, context: ServerContext): StdioSpec | HttpSpec | null {
  const urlKey = onlyOne(['url', 'httpUrl', 'serverUrl'], input, context);
  const url = urlKey === null ? undefined : input[urlKey];
  const whole = `"${formatPath(context.path)}"`;
  if (input.command !== undefined && urlKey !== null) {
    const message = `${whole} has both "command" and "${urlKey}"; a server is either started by a command or reached at a URL.`;
    context.report({ path: [...context.path, urlKey], at: 'key', message });
    return null;
  }
  if (input.command === undefined && url === undefined) {
    const message = `${whole} has neither "command" nor "url"; one of them must say how the server is reached.`;
    context.report({ path: context.path, at: 'key', message, found: 'neither of them' });
    return null;
  }
  const kind = kindOf(input, context);
  if (input.command !== undefined) {
    warnUnused(['headers', 'oauth'], '"command"', input, context);
    return stdioTransport(input.command, input, context);
  }
  if (urlKey === null || url === undefined) return null;
  warnUnused(['args', 'env', 'cwd'], `"${urlKey}"`, input, context);
  checkUrl(url, urlKey, context);
  const headers = checkedHeaders(input.headers ?? {}, context);
  const oauth = buildOauth(input, context);
  return { kind: kind === 'sse' ? 'sse' : 'http', url, headers, ...(oauth && { oauth }) };
}

/** The transport that the block names, if any. Reports one that does not fit the rest of the block. */
function kindOf(input: ServerInput, context: ServerContext): TransportKind | null {
  const key = onlyOne(['type', 'transport', 'transportType'], input, context);
  const spelling = key === null ? undefined : input[key];
  if (key === null || spelling === undefined) return null;
  const kind = transportKinds[spelling];
  if ((kind === 'stdio') !== (input.command !== undefined)) {
    const has = input.command === undefined ? 'a URL' : 'a "command"';
    const message = `"${formatPath([...context.path, key])}" is "${spelling}", but the server has ${has}; leave "${key}" out or correct it.`;
    context.report({ path: [...context.path, key], message });
  }
  return kind;
}

/** Which of several keys for one thing is used. Two with different values are a mistake. */
function onlyOne<K extends keyof ServerInput>(
  keys: readonly K[],
  input: ServerInput,
  context: ServerContext,
): K | null {
  const [first, ...others] = keys.filter((key) => input[key] !== undefined);
  for (const other of others) {
    if (first === undefined || input[other] === input[first]) continue;
    const message = `"${formatPath(context.path)}" has both "${first}" and "${other}", which mean the same; keep one of them.`;
    context.report({ path: [...context.path, other], at: 'key', message });
  }
  return first ?? null;
}

function warnUnused(keys: readonly (keyof ServerInput)[], beside: string, input: ServerInput, context: ServerContext) {
  for (const key of keys) {
    const value = input[key];
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    if (value === undefined || isEmpty) continue;
    const path = [...context.path, key];
    context.warn({
      path,
      at: 'key',
      message: `"${formatPath(path)}" is ignored, because it has no use beside ${beside}.`,
    });
  }
}

function stdioTransport(command: string, input: ServerInput, context: ServerContext): StdioSpec {
  const args = input.args ?? [];
  if (/\s/.test(command) && input.args === undefined && !/[\\/]/.test(command)) {
    const path = [...context.path, 'command'];
    const message = `"${formatPath(path)}" contains a space and no shell will split it; put the words after the first into "args".`;
    context.warn({ path, message });
  }
  refuseOddWord(command, 'command', context);
  for (const [index, arg] of args.entries()) refuseNul(arg, [...context.path, 'args', index], context);
  return {
    kind: 'stdio',
    command: expandHome(command, context.env),
    args,
    env: checkedEnv(input.env ?? {}, context),
    cwd: input.cwd === undefined ? null : checkedCwd(input.cwd, context),
  };
}

function checkedCwd(cwd: string, context: ServerContext): string | null {
  refuseOddWord(cwd, 'cwd', context);
  const path = expandHome(cwd, context.env);
  if (isAbsolute(path)) return path;
  if (context.baseDir !== null) return resolve(context.baseDir, path);
  context.report(wrongValue(context.source, [...context.path, 'cwd'], 'must be an absolute path'));
  return null;
}

function checkedEnv(env: Readonly<Record<string, string | number | boolean>>, context: ServerContext) {
  const checked: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(env)) {
    const path = [...context.path, 'env', name];
    if (name === '' || /[=\u0000]/.test(name)) {
      const message = `"${formatPath(path)}" cannot be an environment variable: its name must not be empty or contain "=".`;
      context.report({ path, at: 'key', message });
    }
    checked[name] = String(value);
    refuseNul(checked[name], path, context);
  }
  return checked;
}

function refuseOddWord(text: string, key: string, context: ServerContext): void {
  if (text.trim() !== '' && !/[\u0000-\u001f\u007f]/.test(text)) return;
  context.report(wrongValue(context.source, [...context.path, key], 'must not be empty or contain control characters'));
}

/** The operating system ends a string at NUL, so that the program would see something else than was written. */
function refuseNul(text: string, path: KeyPath, context: ServerContext): void {
  if (text.includes('\u0000'))
    context.report({ path, message: `"${formatPath(path)}" must not contain the character NUL.` });
}

function checkUrl(url: string, key: string, context: ServerContext): void {
  const trouble = urlTrouble(url);
  if (trouble !== null) context.report(wrongValue(context.source, [...context.path, key], trouble));
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;

/** `path`: of the block that the headers stand in. */
export function checkedHeaders(
  headers: Readonly<Record<string, string>>,
  context: Pick<ServerContext, 'path' | 'report'>,
): Readonly<Record<string, string>> {
  const checked: Record<string, string> = Object.create(null);
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const path = [...context.path, 'headers', name];
    const first = seen.get(name.toLowerCase());
    if (!headerName.test(name)) {
      context.report({ path, at: 'key', message: `${quoteKey(name)} is not a legal name for an HTTP header.` });
    } else if (first !== undefined) {
      context.report({
        path,
        at: 'key',
        message: `the headers ${quoteKey(first)} and ${quoteKey(name)} are the same header; keep one of them.`,
      });
    }
    if (!headerValue.test(value)) {
      const message = `"${formatPath(path)}" must not contain line breaks, other control characters or characters beyond Latin-1.`;
      context.report({ path, message });
    }
    seen.set(name.toLowerCase(), name);
    checked[name] = value;
  }
  return checked;
}

const text = () => z.string({ error: 'a string' });
const scopes = () => z.union([text(), listSchema(text(), '')], { error: 'a list of scopes' }).optional();

const schema = z.object({
  clientId: word('a client id').optional(),
  clientSecret: text().optional(),
  scopes: scopes(),
  scope: scopes(),
  issuer: text().optional(),
} satisfies Record<keyof typeof oauthMembers, z.ZodType>);

const none: OAuthSettings = { isOff: false, clientId: null, clientSecret: null, scopes: null, issuer: null };

/** The settings for signing in. Undefined: none are given, and the server is asked for everything. */
function buildOauth({ oauth }: ServerInput, context: ServerContext): OAuthSettings | undefined {
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

/** Agents write members into `oauth` that have no meaning here. */
function warnUnknown(oauth: Readonly<Record<string, unknown>>, context: ServerContext): void {
  const known = Object.keys(oauthMembers);
  for (const key of Object.keys(oauth)) {
    if (known.includes(key)) continue;
    const path = [...context.path, 'oauth', key];
    const message = `"${formatPath(path)}" is ignored; of "oauth" these are used: ${known.map(quoteKey).join(', ')}.`;
    context.warn({ path, at: 'key', message });
  }
}
