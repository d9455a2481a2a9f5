/** Texts and figures as people read them. Whatever a server says is text, with its invisible characters made visible. */

/** Characters that hide, reorder or move text: controls but for line breaks and tabs, marks of direction, zero widths, tags. */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

export function visibleText(text: string): string {
  return text.replace(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Text that a server, an agent or a tool wrote. */
export function Said({ text }: { readonly text: string }) {
  return <span class="said">{visibleText(text)}</span>;
}

/** The same in a fixed width, with its lines. */
export function SaidLines({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <section
      class="said-lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
      tabIndex={0}
      aria-label={label}
    >
      <pre>{visibleText(text)}</pre>
    </section>
  );
}

const numbers = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function formatCount(value: number): string {
  return numbers.format(value);
}

export function formatCompact(value: number): string {
  return value < 10_000 ? numbers.format(value) : compact.format(value);
}

export function formatShare(value: number | null): string {
  if (value === null) return '–';
  const isNearEdge = (value > 0.995 && value < 1) || (value > 0 && value < 0.1);
  return `${(value * 100).toFixed(isNearEdge ? 1 : 0)} %`;
}

export function formatMs(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const fullTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const dayMs = 86_400_000;

/** A time of the gateway (ISO 8601), short: the clock for today, else the date; in full when pointed at. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  const date = new Date(at);
  const isRecent = Math.abs(Date.now() - date.getTime()) < dayMs;
  return (
    <time dateTime={at} title={fullTime.format(date)}>
      {isRecent ? clockTime.format(date) : fullTime.format(date)}
    </time>
  );
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** How long ago, or in how long, at the time when it is drawn. */
export function Ago({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  const date = new Date(at);
  const seconds = Math.round((date.getTime() - Date.now()) / 1_000);
  const [size, unit] = (
    [
      [86_400, 'day'],
      [3_600, 'hour'],
      [60, 'minute'],
      [1, 'second'],
    ] as const
  ).find(([one]) => Math.abs(seconds) >= one) ?? [1, 'second'];
  return (
    <time dateTime={at} title={fullTime.format(date)}>
      {relative.format(Math.trunc(seconds / size), unit)}
    </time>
  );
}
