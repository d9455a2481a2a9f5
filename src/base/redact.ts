/** Masks secrets in every text that is logged, kept or shown to people: those that are known, those in fields that are named so, and those that look like one. */

const secretKey =
  /(authorization|cookie|password|passwd|passphrase|secret|token|api[-_]?key|apikey|access[-_]?key|private[-_]?key|signing[-_]?key|credential|session[-_]?id|webhook[-_]?url|connection[-_]?string|[a-z0-9][-_](?:pass|pwd|pin|pat|dsn)$)/i;

/** Longer texts are cut before anything is looked for in them, whoever wrote them. As long as the last words of a server. */
export const mostMaskedChars = 65_536;
/** Characters read beyond a limit, to recognise a secret that the limit would cut in two. */
const overhang = 1_024;
/** Half a secret of a shape that has a length is shorter; what is left of any other shape is still one. */
const longestStump = 64;
/** Of one text in a value, and of all texts in it together. */
const mostFieldChars = 8_192;
const mostValueChars = 65_536;
/** Of one object or list; how many more there were is said. */
const mostMembers = 50;

export function isSecretKey(key: string): boolean {
  return secretKey.test(key);
}

/**
 * Masks every secret that can be recognised in a text: what is known to be one, here (`known`, such as a server's
 * environment) or in this process, and what looks like one. Of a text that is longer than any should be, the beginning.
 */
export function redactText(text: string, known: readonly string[] = []): string {
  return redactedBeginning(text, mostMaskedChars, known);
}

/** The same for the first `most` characters, which end in an ellipsis if anything follows: the cut is made before the search. */
export function redactedBeginning(text: string, most: number, known: readonly string[] = []): string {
  const longest = longestOf(known);
  const looked = most + overhang + longest;
  const isCut = text.length > looked;
  let out = knownSecrets.mask(isCut ? text.slice(0, looked) : text, mask);
  for (const value of known) if (value.length >= leastSecretChars) out = out.replaceAll(value, mask);
  // The text may end in half a secret, which cannot be recognised.
  if (isCut) out = out.slice(0, out.length - longest);
  const isLonger = isCut || out.length > most + overhang;
  out = maskShapes(out.slice(0, most + overhang));
  if (isLonger) out = out.slice(0, -longestStump);
  if (!isLonger && out.length <= most) return out;
  return `${out.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Only what looks like a secret: for names, which nobody who makes up secrets may hide. */
export function maskShapes(text: string): string {
  let out = text.slice(0, mostMaskedChars + overhang);
  for (const { pattern, by } of secretShapes) out = out.replace(pattern, by);
  return out;
}

/** A name without what has the shape of a secret, and without secrets that we were given. Plain words stay, whatever they begin with. */
export function maskName(text: string): string {
  return isPlainName(text) ? text : maskShapes(knownSecrets.maskInName(text, mask));
}

/** Words and short codes: `glean-enterprise-search` begins like a token of GitLab, and some server may have a variable `k8s-eu1`. */
function isPlainName(text: string): boolean {
  return text.length <= mostNameChars && text.split(/[-_.:@/*]/).every((part) => plainPart.test(part));
}

const mostNameChars = 256;
const plainPart = /^(?:(?:[A-Z]?[a-z]{0,14}(?:[A-Z][a-z]{2,14}){0,4}|[A-Z]{1,14})\d{0,4}|[A-Za-z0-9]{1,3})$/;

/** As much of a text as `redactedBeginning` looks at, for callers that change it before. */
export function beginningToMask(text: string, most: number): string {
  return text.slice(0, most + overhang + longestOf([]) + 1);
}

/** No secret that is looked for is taken to be longer than any text is. */
function longestOf(known: readonly string[]): number {
  const longest = known.reduce((most, { length }) => Math.max(most, length), knownSecrets.longest);
  return Math.min(mostMaskedChars, longest);
}

/** A copy of a value in which secrets are masked, for logs. Depth, width and texts are bounded. */
export function redact(value: unknown, maskText: (text: string) => string = redactField): unknown {
  return redactedCopy(value, { maskText, charsLeft: mostValueChars }, 0);
}

interface Redaction {
  readonly maskText: (text: string) => string;
  charsLeft: number;
}

function redactField(text: string): string {
  return redactedBeginning(text, mostFieldChars);
}

function redactedCopy(value: unknown, state: Redaction, depth: number): unknown {
  if (typeof value === 'string') return redactedPart(value, state);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= 6) return '…';
  if (Array.isArray(value)) return redactedList(value, state, depth);
  if (value instanceof Error) return { name: value.name, message: redactedPart(value.message, state) };
  const out: Record<string, unknown> = Object.create(null);
  const members = Object.entries(value);
  for (const [key, item] of members.slice(0, mostMembers)) {
    const isHidden = isSecretKey(key) && item !== null && item !== undefined;
    out[redactedPart(key, state)] = isHidden ? mask : redactedCopy(item, state, depth + 1);
  }
  if (members.length > mostMembers) out['…'] = leftOut(members.length);
  return out;
}

function redactedList(items: readonly unknown[], state: Redaction, depth: number): unknown[] {
  const kept = items.slice(0, mostMembers).map((item) => redactedCopy(item, state, depth + 1));
  return items.length > mostMembers ? [...kept, leftOut(items.length)] : kept;
}

function leftOut(count: number): string {
  return `… ${count - mostMembers} more`;
}

function redactedPart(text: string, state: Redaction): string {
  if (state.charsLeft <= 0) return '…';
  state.charsLeft -= Math.min(text.length, mostFieldChars);
  return state.maskText(text);
}

interface SecretShape {
  readonly pattern: RegExp;
  /** The replacement, as `String.replace` reads it. */
  readonly by: string;
}

/** Replaces a secret. */
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

/** Shorter values cannot be told from ordinary words. */
export const leastSecretChars = 6;
/** A line of a secret with several lines (a key in PEM form) is a secret of its own from this length on. */
const leastLineChars = 20;
/** Spellings of one owner's values. Each is looked for in every text; the values themselves come first. */
const mostSpellings = 2_000;

/** A stranger could issue an ordinary word to have it masked elsewhere; only values of this form count as secrets. */
const issuable = /^[\x21-\x7e]{16,16384}$/;

export class KnownSecrets {
  /** By whose they are: those that people gave us, and those that strangers made up. */
  readonly #given = new Map<string, readonly string[]>();
  readonly #issued = new Map<string, readonly string[]>();
  #all: readonly string[] = [];
  #allGiven: readonly string[] = [];
  #oddGiven: readonly string[] = [];
  #revision = 0;

  /** Replaces what is known of an owner. */
  set(owner: string, values: Iterable<string>): void {
    this.#given.set(owner, spelled(values));
    this.#gather();
  }

  /** The same for values that a stranger made up, such as tokens: those that could as well be a word or a name do not count. */
  setIssued(owner: string, values: Iterable<string>): void {
    this.#issued.set(owner, spelled([...values].filter(isIssuable)));
    this.#gather();
  }

  forget(owner: string): void {
    this.#given.delete(owner);
    this.#issued.delete(owner);
    this.#gather();
  }

  /** The text with every known value replaced. */
  mask(text: string, by: string): string {
    return replaced(text, this.#all, by);
  }

  /** The same where no stranger may decide what is hidden. */
  maskGiven(text: string, by: string): string {
    return replaced(text, this.#allGiven, by);
  }

  /** The same for a name, which a plain word among the secrets may read like by chance. */
  maskInName(text: string, by: string): string {
    return replaced(text, this.#oddGiven, by);
  }

  /** Another one after each change. */
  get revision(): number {
    return this.#revision;
  }

  /** How much of a text has to be looked at so that none of them is cut in two. */
  get longest(): number {
    return this.#all[0]?.length ?? 0;
  }

  /** The longest first: one value may be the beginning of another. */
  #gather(): void {
    this.#revision += 1;
    const given = [...this.#given.values()].flat();
    this.#allGiven = longestFirst(given);
    this.#oddGiven = this.#allGiven.filter((value) => !isOrdinary(value));
    this.#all = longestFirst([...given, ...[...this.#issued.values()].flat()]);
  }
}

/** Of this process: logs are written everywhere, and what is secret to one part is secret to all. */
export const knownSecrets = new KnownSecrets();

function isIssuable(value: string): boolean {
  return issuable.test(value) && !isOrdinary(value);
}

function longestFirst(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

function replaced(text: string, values: readonly string[], by: string): string {
  let out = text;
  for (const value of values) if (out.includes(value)) out = out.replaceAll(value, by);
  return out;
}

function spelled(values: Iterable<string>): readonly string[] {
  const known = [...values].slice(0, mostSpellings).flatMap(linesOf).slice(0, mostSpellings);
  const spellings = new Set(known);
  for (const value of known) {
    if (spellings.size >= mostSpellings) break;
    for (const spelling of spellingsOf(value)) if (spelling.length >= leastSecretChars) spellings.add(spelling);
  }
  return [...spellings].slice(0, mostSpellings);
}

function linesOf(value: string): string[] {
  const lines = value.includes('\n') ? value.split(/\r?\n/).filter((line) => line.length >= leastLineChars) : [];
  return [value, ...lines].filter((text) => text.length >= leastSecretChars);
}

/** The value first, then what is likelier to be met. Those of a value without odd characters are few. */
function spellingsOf(value: string): string[] {
  const text = value.toWellFormed();
  const json = JSON.stringify(value).slice(1, -1);
  const spellings = [
    value,
    json,
    json.replaceAll('/', '\\/'),
    asciiOnly(json),
    JSON.stringify(json).slice(1, -1),
    ...inAddresses(text),
    inMarkup(text),
    ...inBytes(text),
  ];
  return [...new Set(spellings)];
}

function asciiOnly(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Signs are escaped differently in a parameter, a form, a path and a password, and with capitals or without. */
function inAddresses(text: string): string[] {
  const url = new URL('https://x.invalid/');
  url.pathname = `/${text}`;
  url.search = `?${text}`;
  url.password = text;
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  const spellings = [encodeURIComponent(text), form, url.search.slice(1), url.pathname.slice(1), url.password];
  return spellings.flatMap((spelling) => [spelling, spelling.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase())]);
}

function inMarkup(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (sign) => names[sign] ?? sign);
}

function inBytes(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  return [...[0, 1, 2].flatMap((at) => inBase64(bytes, at)), hex, hex.toUpperCase()];
}

/**
 * The characters that stand for nothing but these bytes, which is all but one or two at either end: in base64 a value reads
 * differently by how many bytes are before it, such as the name of a user.
 */
function inBase64(bytes: Buffer, before: number): string[] {
  const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor((shifted.length * 8) / 6);
  return [shifted.toString('base64').slice(from, to), shifted.toString('base64url').slice(from, to)];
}

const path = /^(?:[~./\\]|[A-Za-z]:[\\/])/;
const address = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s@]*$/i;
const words = /^[\p{L}\p{M}]{0,20}\d{0,6}(?:[-_. ,;:@/*][\p{L}\p{M}]{0,20}\d{0,6})*$/u;
/** Shorter texts say nothing either way. */
const leastOddChars = 8;
const mostWordChars = 4_096;

/** Values that are no secret by themselves, and that stand in many texts by chance. */
export function isOrdinary(value: string): boolean {
  if (value.length < leastOddChars) return true;
  return value.length <= mostWordChars && (isPlace(value) || words.test(value));
}

/** A path or an address without user information. */
export function isPlace(value: string): boolean {
  return path.test(value) || address.test(value);
}
