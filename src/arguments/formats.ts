/**
 * Formats of texts, told only where a text is nonsense for every way to read its format: servers differ in how much they
 * take, and a check that is stricter than the server's would refuse what works.
 */

import { isIPv6 } from 'node:net';

interface Format {
  /** True if some server may accept the text. */
  readonly mayBe: (text: string) => boolean;
  /** Its name and an example. */
  readonly words: string;
}

/** Longer texts are not looked at. */
const maxFormatLength = 2_000;

export function formatOf(name: unknown): Format | undefined {
  return typeof name === 'string' ? formats.get(name) : undefined;
}

/** False only where a text is surely not of a format. An empty one often means that nothing is given. */
export function mayBeOfFormat(format: Format, text: string): boolean {
  const trimmed = text.length > maxFormatLength ? '' : text.trim();
  return trimmed === '' || format.mayBe(trimmed);
}

/** Dates and times are written in many ways, also as a count of seconds; none is without a digit. */
const digit = /\d/;
const isoDate = /^\d{4}-(\d\d)-(\d\d)(?!\d)/;
const isoTime = /^(\d\d):(\d\d)(?::(\d\d))?(?!\d)/;
/** Some take it without its hyphens, in braces, or inside of an address. */
const uuid = /(?:[0-9a-f]-?){32}/i;
const email = /\S\s*@\s*\S/;
const fourNumbers = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?![.\d])/;

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date-time', { mayBe: mayBeDateTime, words: 'a date and time such as "2026-05-01T12:00:00Z"' }],
  ['date', { mayBe: mayBeDateTime, words: 'a date such as "2026-05-01"' }],
  ['time', { mayBe: mayBeTime, words: 'a time such as "12:00:00Z"' }],
  ['duration', { mayBe: (text) => digit.test(text), words: 'a duration such as "PT30M"' }],
  ['uri', { mayBe: mayBeAddress, words: 'a URI such as "https://example.org/a"' }],
  ['url', { mayBe: mayBeAddress, words: 'a URL such as "https://example.org/a"' }],
  ['email', { mayBe: (text) => email.test(text), words: 'an e-mail address such as "ada@example.org"' }],
  ['hostname', { mayBe: mayBeAddress, words: 'a host name such as "example.org"' }],
  ['uuid', { mayBe: (text) => uuid.test(text), words: 'a UUID such as "123e4567-e89b-12d3-a456-426614174000"' }],
  ['ipv4', { mayBe: mayBeIPv4, words: 'an IPv4 address such as "192.0.2.1"' }],
  ['ipv6', { mayBe: mayBeIPv6, words: 'an IPv6 address such as "2001:db8::1"' }],
]);

/** Days up to 31 are left to the server: some go on into the next month. */
function mayBeDateTime(text: string): boolean {
  if (!digit.test(text)) return false;
  const found = isoDate.exec(text);
  if (!found) return true;
  const [month, day] = [Number(found[1]), Number(found[2])];
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  return isTimeOfDay(/^[Tt ]\s*(.*)/s.exec(text.slice(10))?.[1] ?? '');
}

function mayBeTime(text: string): boolean {
  return digit.test(text) && isTimeOfDay(text);
}

/** Other texts than times of day are not judged. */
function isTimeOfDay(text: string): boolean {
  const found = isoTime.exec(text);
  if (!found) return true;
  return Number(found[1]) <= 24 && Number(found[2]) <= 59 && Number(found[3] ?? 0) <= 60;
}

/** Hosts, paths and templates pass as well; several words without a mark that belongs to an address do not. */
function mayBeAddress(text: string): boolean {
  return !/\s/.test(text) || /[^\p{L}\p{M}\p{N}\s'"!?]/u.test(text);
}

function mayBeIPv4(text: string): boolean {
  const found = fourNumbers.exec(text);
  if (found) return found.slice(1).every((part) => Number(part) <= 255);
  return mayBeAddress(text) && !isIPv6(text);
}

/** A prefix length, a zone, a port and brackets are left to the server, and so are addresses of the older kind. */
function mayBeIPv6(text: string): boolean {
  if (/^[0-9a-f:]*:[0-9a-f:]*$/i.test(text)) return isIPv6(text);
  return mayBeAddress(text);
}
