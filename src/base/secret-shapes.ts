/** What secrets look like wherever they stand. */

export interface SecretShape {
  readonly pattern: RegExp;
  /** What stands there afterwards, as `String.replace` reads it. */
  readonly by: string;
}

/** What stands in the place of a secret. */
export const mask = '***';

/**
 * Each is linear, also over texts that were made to be slow: nothing that repeats without a limit is followed by something
 * that may be missing, unless it begins where a run of such characters begins. A test doubles the length of hostile texts.
 */
const whole: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z0-9 ]{0,40}-----)?/g,
  /\bBearer\s{1,16}[A-Za-z0-9._~+/=-]{8,}/gi,
  /\bBasic\s{1,16}[A-Za-z0-9+/=]{8,}/g,
  /\b(?:set-)?cookie:[ \t]{0,8}[^\r\n]{4,}/gi,
  /\btc_[A-Za-z0-9_-]{16,}/g,
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bgl[a-z]{2,8}-[A-Za-z0-9_-]{16,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\bxapp-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bya29\.[A-Za-z0-9_-]{16,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\b(?:npm|hf|gsk|r8|shpat|shpss|whsec|figd|ntn|dop_v1|dckr_pat|lin_api|xai|pplx|tvly|glsa|pypi)[-_][A-Za-z0-9_-]{20,}/g,
  /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/g,
  // A signed token. It may follow a dash, which is one of its own characters: the search begins where the run of them does. One
  // whose end was cut off has no last part.
  /(?<![A-Za-z0-9_-])(?=(?:[A-Za-z0-9_-]*-)?eyJ)[A-Za-z0-9_-]{11,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}|$)/g,
];

/** `scheme://user:password@host` keeps everything but the user information, which may hold an `@` itself. */
const urlUserInfo = /:\/\/[^\s/"<>]{1,256}@/g;

/** Addresses that are secrets as a whole, because whoever knows them may post there: only the host is kept. */
const hookUrl =
  /(https?:\/\/(?:hooks\.slack\.com|hooks\.zapier\.com|discord(?:app)?\.com|[a-z0-9-]{1,63}\.webhook\.office\.com|outlook\.office\.com))\/(?:services|workflows|triggers|hooks|api\/webhooks|webhook|webhookb2)\/[^\s"'<>]{1,2000}/gi;

/** Parameters of a URL that are secrets although their names are short. */
const urlParameter = /([?&](?:key|sig|signature|code|auth|pwd|pass)=)[^\s&#"'<>]{4,}/gi;

/** `key=value`, `key: value` and `"key": "value"` where the key names a secret, or ends in a short word for one. */
const assignment =
  /((?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|account[-_]?key|authorization|(?<=[a-z0-9][-_])(?:pass|pwd|pat|pin|dsn)(?![a-z0-9_.-]))[a-z0-9_.-]{0,32}\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?)[^\s"',;&\\]{4,}/gi;

export const secretShapes: readonly SecretShape[] = [
  ...whole.map((pattern) => ({ pattern, by: mask })),
  { pattern: urlUserInfo, by: `://${mask}@` },
  { pattern: hookUrl, by: `$1/${mask}` },
  { pattern: urlParameter, by: `$1${mask}` },
  { pattern: assignment, by: `$1${mask}` },
];
