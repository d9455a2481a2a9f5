/** Calendar days, kept as their midnight in UTC, and times in IANA time zones, worked out with `Intl` alone. */

import { nearest } from '../base/nearest.ts';
import { ToolRefusal } from './tool.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const weekdays = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' });

/** Reads `YYYY-MM-DD`; a day that the month does not have is refused. */
export function dateOf(text: string): Date {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  // The parser lets February 30 pass as March 2, so what was read is compared with what was written.
  if (!Number.isNaN(date.getTime()) && isoDate(date) === text) return date;
  throw new ToolRefusal(`${JSON.stringify(text)} is no date; write it as "YYYY-MM-DD", such as "2026-03-31".`);
}

export function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function daysBetween(start: Date, end: Date): number {
  return (end.getTime() - start.getTime()) / dayMs;
}

export function addDays(date: Date, days: number): Date {
  const found = new Date(date.getTime() + days * dayMs);
  // Other years do not have four digits, and could not be given back to these tools.
  if (found.getUTCFullYear() >= 0 && found.getUTCFullYear() <= 9_999) return found;
  throw new ToolRefusal('That date lies outside the years 0 to 9999.');
}

export function weekdayOf(date: Date): string {
  return weekdays.format(date);
}

export interface ZonedTime {
  readonly timezone: string;
  readonly dateTime: string;
  readonly weekday: string;
}

/** The time zone by its proper name. Throws a `ToolRefusal` that suggests names when there is none like it. */
export function readZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    // Intl says no by throwing; the reason is always that it does not know the name.
    const near = nearest(name.trim(), Intl.supportedValuesOf('timeZone'));
    const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'Use a name such as "Europe/Paris" or "UTC".';
    throw new ToolRefusal(`There is no time zone ${JSON.stringify(name)}. ${hint}`);
  }
}

export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function zonedTime(instantMs: number, timezone: string): ZonedTime {
  const offsetMs = offsetAt(instantMs, timezone);
  const local = new Date(instantMs + offsetMs).toISOString().slice(0, 19);
  const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: timezone }).format(instantMs);
  return { timezone, dateTime: `${local}${offsetText(offsetMs)}`, weekday };
}

/**
 * The instant that `HH:MM` (today) or `YYYY-MM-DDTHH:MM` means in a zone. Of a time that the clocks show twice the first
 * is meant; one that they skip is moved on by as much as they are.
 */
export function instantOf(time: string, timezone: string, nowMs: number): number {
  const match = /^(?:((?:19|20|21)\d\d-\d\d-\d\d)[T ])?([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  if (!match) {
    throw new ToolRefusal(
      `${JSON.stringify(time)} is no time; write "09:30" or, for a day from 1900 to 2199, "2026-03-31T09:30".`,
    );
  }
  const date = match[1] ?? zonedTime(nowMs, timezone).dateTime.slice(0, 10);
  const wallMs = dateOf(date).getTime() + (Number(match[2]) * 60 + Number(match[3])) * minuteMs;
  // Offsets change at most once in two days, so the right one is that of the day before or of the day after.
  const before = wallMs - offsetAt(wallMs - dayMs, timezone);
  const after = wallMs - offsetAt(wallMs + dayMs, timezone);
  const isRight = (instant: number) => instant + offsetAt(instant, timezone) === wallMs;
  return isRight(before) || !isRight(after) ? before : after;
}

/** How far the zone is ahead of UTC at an instant. */
function offsetAt(instantMs: number, timezone: string): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  // Such as "GMT+05:30"; "GMT" alone where there is no offset. Old local times have seconds too.
  const [, sign, ...parts] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  return (sign === '-' ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

function offsetText(offsetMs: number): string {
  const minutes = Math.trunc(Math.abs(offsetMs) / minuteMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
