/** Shares and durations, short enough for a table. */

/** `97 %`; a dash where nothing is known. What is not all is never shown as all, nor something as nothing. */
export function percent(share: number | null): string {
  if (share === null) return '-';
  const whole = Math.round(share * 100);
  if (whole === 100 && share < 1) return '>99 %';
  return whole === 0 && share > 0 ? '<1 %' : `${whole} %`;
}

/** `0.4 ms`, `12 ms`, `1.5 s`, `2.1 min`; a dash where nothing is known. */
export function duration(ms: number | null): string {
  if (ms === null) return '-';
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 100_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

/** A time as clocks here show it, to the second. */
export function localSecondOf(time: string): string {
  const at = new Date(time);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** A time in UTC, to the minute. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** How long ago, or in how long: `3 minutes ago`, `yesterday`, `in 12 seconds`. */
export function agoInWords(time: string, now: number): string {
  const seconds = Math.round((Date.parse(time) - now) / 1_000);
  const [size, unit] = units.find(([one]) => Math.abs(seconds) >= one) ?? ([1, 'second'] as const);
  return relative.format(Math.trunc(seconds / size), unit);
}
