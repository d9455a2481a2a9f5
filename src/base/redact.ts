/** Masks secrets, by the name of the field that holds them and by the shape of the value. */

const mask = '***';

const secretKey =
  /(authorization|cookie|password|passwd|secret|token|api[-_]?key|apikey|access[-_]?key|private[-_]?key|credential|session[-_]?id)/i;

/** Shapes that are secrets wherever they stand. Each is linear: no nested quantifiers. */
const secretShapes: readonly RegExp[] = [
  /\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /\bBasic\s+[A-Za-z0-9+/=]{8,}/g,
  /\btc_[A-Za-z0-9_-]{16,}/g,
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}/g,
];

/** `scheme://user:password@host` keeps everything but the user information. */
const urlUserInfo = /([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@]{1,256}@/gi;

/** `key=value` and `key: value` where the key names a secret. */
const assignment =
  /\b([A-Za-z0-9_.-]{0,64}(?:password|passwd|secret|token|api[-_]?key|apikey|authorization)[A-Za-z0-9_.-]{0,32})(\s{0,3}[=:]\s{0,3})("?)[^\s"',;&]{4,}/gi;

export function isSecretKey(key: string): boolean {
  return secretKey.test(key);
}

/** Masks every secret that can be recognised in a text; `known` are values known to be secret (such as a server's environment). */
export function redactText(text: string, known: readonly string[] = []): string {
  let out = text;
  for (const value of known) if (value.length >= 6) out = out.replaceAll(value, mask);
  for (const shape of secretShapes) out = out.replace(shape, mask);
  out = out.replace(urlUserInfo, `$1${mask}@`);
  return out.replace(assignment, (_all, key: string, sign: string, quote: string) => `${key}${sign}${quote}${mask}`);
}

/** A copy of a value in which secrets are masked, for logs. Depth and width are bounded. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= 6) return '…';
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redact(item, depth + 1));
  if (value instanceof Error) return { name: value.name, message: redactText(value.message) };
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value).slice(0, 50)) {
    out[key] = isSecretKey(key) && item !== null && item !== undefined ? mask : redact(item, depth + 1);
  }
  return out;
}
