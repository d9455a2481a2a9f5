/** Texts and figures as people read them. Whatever a server says is text, with its invisible characters made visible. */

import type { ComponentChildren } from 'preact';
import { agoInWords } from '../../../base/amounts.ts';
import { visibleText } from '../../../base/visible.ts';
import { pageLink } from '../router.ts';

export { visibleText };

interface SaidProps {
  readonly text: string;
  /** Its element. */
  readonly as?: 'span' | 'strong' | 'small' | 'p' | 'li' | 'h2';
  readonly class?: string;
}

/** Text that a server, an agent or a tool wrote. */
export function Said({ text, as: Element = 'span', class: look = '' }: SaidProps) {
  return <Element class={`said ${look}`}>{breakable(visibleText(text))}</Element>;
}

/** In characters; longer ones are no names, and a place for a break costs an element. */
const longestName = 200;

/** Names such as `mail-work:send_message` break after their signs rather than within a word. */
function breakable(text: string): ComponentChildren {
  if (text.length > longestName || /\s/.test(text)) return text;
  return text
    .split(/(?<=[:._/-])(?=\w)/)
    .flatMap((part, at) => (at === 0 ? [part] : [<span key={at} class="joint" />, part]));
}

/** The same in a fixed width, with its lines. */
export function SaidLines({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <section
      class="box said-lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
      tabIndex={0}
      aria-label={label}
    >
      <pre>{visibleText(text)}</pre>
    </section>
  );
}

/** The key of a tool, which leads to its page. */
export function ToolLink({ toolKey }: { readonly toolKey: string }) {
  return (
    <a href={pageLink(['tools', toolKey])}>
      <Said text={toolKey} />
    </a>
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

/** How long ago, or in how long, at the time when it is drawn. */
export function Ago({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} title={fullTime.format(new Date(at))}>
      {agoInWords(at, Date.now())}
    </time>
  );
}
