/**
 * Formats of texts, told only where a text is clearly not of its format: servers differ in how much they take, and a
 * check that is stricter than the server's would refuse what works.
 */

import { isIPv4, isIPv6 } from 'node:net';

export interface Format {
  readonly accepts: (text: string) => boolean;
  /** How one is called, with an example. */
  readonly words: string;
}

/** Longer texts are not looked at. */
const maxFormatLength = 2_000;

export function formatOf(name: unknown): Format | undefined {
  return typeof name === 'string' ? formats.get(name) : undefined;
}

export function isOfFormat(format: Format, text: string): boolean {
  return text.length > maxFormatLength || format.accepts(text);
}

const datePart = /^(\d{4})-(\d\d)-(\d\d)$/;
/** Without seconds and without an offset as well: many servers take both. */
const timePart = /^(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:[zZ]|[+-]\d\d(?::?\d\d)?)?$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const uri = /^[a-z][a-z0-9+.-]*:[^\s]+$/i;
const email = /^[^\s@]+@[^\s@]+$/;
const hostname = /^[^\s/:@?#]{1,253}$/;
const duration = /^[+-]?P(?=[\dT])(?:[\d.,]+Y)?(?:[\d.,]+M)?(?:[\d.,]+W)?(?:[\d.,]+D)?(?:T[\d.,HMS]+)?$/;

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date-time', { accepts: isDateTime, words: 'a date and time such as "2026-05-01T12:00:00Z"' }],
  ['date', { accepts: isDate, words: 'a date such as "2026-05-01"' }],
  ['time', { accepts: isTime, words: 'a time such as "12:00:00Z"' }],
  ['duration', { accepts: (text) => duration.test(text), words: 'a duration such as "PT30M"' }],
  ['uri', { accepts: (text) => uri.test(text), words: 'a URI such as "https://example.org/a"' }],
  ['url', { accepts: (text) => uri.test(text), words: 'a URL such as "https://example.org/a"' }],
  ['email', { accepts: isEmail, words: 'an e-mail address such as "ada@example.org"' }],
  ['hostname', { accepts: (text) => hostname.test(text), words: 'a host name such as "example.org"' }],
  ['uuid', { accepts: (text) => uuid.test(text), words: 'a UUID such as "123e4567-e89b-12d3-a456-426614174000"' }],
  ['ipv4', { accepts: isIPv4, words: 'an IPv4 address such as "192.0.2.1"' }],
  ['ipv6', { accepts: isIPv6, words: 'an IPv6 address such as "2001:db8::1"' }],
]);

function isDate(text: string): boolean {
  const found = datePart.exec(text);
  if (!found) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  // Day 0 of the next month is the last of this one. A leap year's rule has a cycle of 400 years, and years below 100 mean others here.
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function isTime(text: string): boolean {
  const found = timePart.exec(text);
  if (!found) return false;
  return Number(found[1]) <= 24 && Number(found[2]) <= 59 && Number(found[3] ?? 0) <= 60;
}

function isDateTime(text: string): boolean {
  return /[Tt ]/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11).trimStart());
}

/** The name in front may be quoted and hold anything. */
function isEmail(text: string): boolean {
  return email.test(text) || (text.startsWith('"') && text.lastIndexOf('"@') > 0);
}
