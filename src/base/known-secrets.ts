/** Values that are known to be secret, by whose they are: every text that is logged, kept or shown to people is searched for them. */

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

  /** How much of a text has to be looked at so that none of them is cut in two. */
  get longest(): number {
    return this.#all[0]?.length ?? 0;
  }

  /** The longest first: one value may be the beginning of another. */
  #gather(): void {
    const given = [...this.#given.values()].flat();
    this.#allGiven = longestFirst(given);
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
export const leastOddChars = 8;
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
