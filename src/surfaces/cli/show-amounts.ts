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

/** A time in UTC, to the minute. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
