/** Which values of a server's configuration are secrets, so that they can be masked wherever they turn up. */

import { isObject, parseJson } from '../base/json.ts';
import { isOrdinary, isPlace, isSecretKey, leastSecretChars, mask, maskShapes } from '../base/redact.ts';
import type { HttpSpec, StdioSpec } from './server-spec.ts';

export function secretsOf(transport: StdioSpec | HttpSpec): string[] {
  const found =
    transport.kind === 'stdio' ? [...inPairs(transport.env), ...inArguments(transport.args)] : inHttp(transport);
  return found.filter((value) => value.length >= leastSecretChars && !unresolved.test(value));
}

/** A reference that could not be looked up is no secret itself: it says which one is missing. */
const unresolved = /^(?:[A-Za-z]{2,16} +)?\$\{secret:[^{}]*\}$/;

function inHttp({ url, headers, oauth }: HttpSpec): string[] {
  return [...inPairs(headers), ...inUrl(url), oauth?.clientSecret ?? ''];
}

function inPairs(pairs: Readonly<Record<string, string>>): string[] {
  return Object.entries(pairs).flatMap(([name, value]) => {
    const text = value.trim();
    if (!isSecretName(name, text) && isOrdinary(text)) return inUrl(text);
    const inside = inJson(text);
    // Of `Bearer x` and the like, what stands alone is a secret as well.
    const [, scheme = '', rest = ''] = /^([A-Za-z]{2,16}) +(\S+)$/.exec(text) ?? [];
    return [value, text, rest, ...(/^basic$/i.test(scheme) ? inBasic(rest) : []), ...inside];
  });
}

/** A name and a password in base64, which a server may quote as it reads them. */
function inBasic(encoded: string): string[] {
  const pair = Buffer.from(encoded, 'base64').toString();
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}

/** Some servers take a table of headers or settings as JSON. Their own messages quote what is in it. */
function inJson(text: string): string[] {
  if (!/^[{[]/.test(text)) return [];
  try {
    return inValue(parseJson(text));
  } catch {
    // It only begins like JSON.
    return [];
  }
}

function inValue(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(inValue);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'string' ? inPairs({ [name]: item }) : inValue(item),
  );
}

/** Short words that end a name say less: behind them a path or an address is what it looks like. */
const shortName = /(?:^|[-_.])(?:pass|pwd|pin|pat|key|auth|dsn)$/i;
const shortEnding = /[a-z](?:Pass|Pwd|Pin|Pat|Key|Auth|Dsn)$/;

function isSecretName(name: string, value: string): boolean {
  return isSecretKey(name) || ((shortName.test(name) || shortEnding.test(name)) && !isPlace(value));
}

/** `--api-key x`, `--api-key=x`, `API_KEY=x` and `Authorization: x`; others are known only by their shape. */
function inArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, flag = '', value] = /^-{1,2}([^=]{1,64})(?:=(.*))?$/s.exec(arg) ?? [];
    const next = args[index + 1];
    const given = value ?? (next === undefined || next.startsWith('-') ? '' : next);
    return flag !== '' && isSecretName(flag, given) ? [given] : inWord(value ?? arg);
  });
}

function inWord(word: string): string[] {
  if (maskShapes(word) === mask) return [word];
  const [, name, value] = /^([A-Za-z_][\w-]{0,63})(?:=|: *)(?!\/\/)(.+)$/s.exec(word) ?? [];
  return name !== undefined && value !== undefined && isSecretName(name, value)
    ? inPairs({ [name]: value })
    : [...inUrl(word), ...inJson(word)];
}

const leastSegmentChars = 16;

/** User information, parameters, and parts of the path that nobody would choose for a path. */
function inUrl(text: string): string[] {
  const url = /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null) return [];
  const parameters = [...url.searchParams].filter(([name, value]) => isSecretName(name, value) || !isOrdinary(value));
  const segments = url.pathname.split('/').filter((part) => part.length >= leastSegmentChars && !isOrdinary(part));
  return [...parameters.map(([, value]) => value), ...segments, decoded(url.password), url.password];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that means itself.
    return text;
  }
}
