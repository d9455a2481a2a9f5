/** The small parts that pages are made of: panels, badges, times, and what is shown while there is nothing to show. */

import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import type { Fetched } from '../state.ts';
import { visibleText } from './texts.tsx';

interface PanelProps {
  readonly title?: string;
  /** Buttons and filters at its head. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ title, tools, children }: PanelProps) {
  return (
    <section class="panel" aria-label={title && visibleText(title)}>
      {(title || tools) && (
        <header class="tools spread panel-head">
          {title && <h2>{visibleText(title)}</h2>}
          {tools && <div class="tools">{tools}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'plain';

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Shows an answer once it is there, and until then why not. */
export function WhenFetched<T>({
  answer,
  children,
}: {
  readonly answer: Fetched<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = answer;
  if (data === undefined && !error) return <Loading />;
  return (
    <>
      {error && <Failed message={error.message} hint={error.hint} onRetry={reload} />}
      {data !== undefined && children(data)}
    </>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="spinner" /> Loading …
    </div>
  );
}

interface FailedProps {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly onRetry?: () => void;
}

export function Failed({ message, hint, onRetry }: FailedProps) {
  return (
    <div class="notice bad" role="alert">
      <strong>{visibleText(message)}</strong>
      {hint && <p>{visibleText(hint)}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A button with its text, which does something on this page. */
export function Button({
  label,
  ...others
}: { readonly label: string } & Omit<ButtonHTMLAttributes, 'label' | 'type'>) {
  return (
    <button {...others} type="button">
      {label}
    </button>
  );
}

/** Where there is nothing yet: why, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

/** A number with what it counts. */
export function Figure({
  label,
  value,
  tone,
}: {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly tone?: Tone;
}) {
  return (
    <div class={`figure ${tone ?? ''}`}>
      <span class="value">{value}</span>
      <span class="label">{label}</span>
    </div>
  );
}

interface FormFieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A labelled input of a form. */
export function FormField({ label, hint, children }: FormFieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label class="field">
      <span>{label}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  );
}

/** Names with their values, in two columns. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="grid facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
