/** Calendar days, held as their midnight in UTC so that no daylight saving gets in the way. */

import { ToolRefusal } from './tool-refusal.ts';

const dayMs = 86_400_000;
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
