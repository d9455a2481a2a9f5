/** Mistakes in a configuration: collected, placed, and turned into one error that names them all. */

import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { isSecretKey, redactText } from '../base/redact.ts';
import { printable } from '../base/text.ts';
import { limits } from './limits.ts';
import { formatPath, type KeyPath, quoteKey, type Source, type TextPosition } from './locate.ts';

/** One mistake, as programs read it. */
export interface ConfigIssue {
  /** null, like line and column, where the configuration did not come from a file. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** `mcpServers.files.args[0]`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  /** The wrong value, in words; secrets are never shown. */
  readonly found: string;
  readonly allowed?: string;
  readonly nearest?: string;
}

/** One mistake, as the code that finds it describes it. */
export interface Fault {
  readonly path: KeyPath;
  /** A full sentence that names the key. */
  readonly message: string;
  /** Where the mistake is: in the key, or in its value, which is the default. */
  readonly at?: 'key' | 'value';
  /** The part of the value that is wrong, to point at it. */
  readonly within?: string;
  /** Where the path does not lead there, such as to the second of two equal keys. */
  readonly position?: TextPosition;
  /** The wrong value, where it is not simply the one at the path. */
  readonly found?: string;
  readonly allowed?: string;
  readonly nearest?: string;
}

export type Report = (fault: Fault) => void;

/** The mistakes found so far. */
export class IssueList {
  readonly #source: Source;
  readonly #issues: ConfigIssue[] = [];
  #leftOut = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  get isEmpty(): boolean {
    return this.#issues.length === 0;
  }

  readonly add: Report = (fault) => {
    if (this.#issues.length < limits.maxConfigIssues) this.#issues.push(toIssue(this.#source, fault));
    else this.#leftOut += 1;
  };

  /** The error that names every mistake, in the order of the file. */
  toError(cause?: unknown): GatewayError {
    const issues = this.#issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    const lines = issues.map(formatIssue);
    if (this.#leftOut > 0) lines.push(`… and ${this.#leftOut} more.`);
    return new GatewayError('CONFIG_INVALID', lines.join('\n'), { cause, data: { issues } });
  }
}

/** `file:line:column: sentence`, or the sentence alone where there is no file. */
export function formatFault(source: Source, fault: Fault): string {
  return formatIssue(toIssue(source, fault));
}

/** The fault that a value is not what is allowed. `words`: those that are, where they are few. */
export function mismatch(source: Source, path: KeyPath, allowed: string, words: readonly string[] = []): Fault {
  const value = source.valueAt(path);
  const [best] = typeof value === 'string' ? nearest(value, words, 1) : [];
  if (best === undefined) return { ...wrongValue(source, path, `must be ${allowed}`), allowed };
  // A near miss of an allowed word is no secret, whatever its key.
  const found = `the string ${JSON.stringify(printable(String(value)))}`;
  const message = `"${formatPath(path)}" must be ${allowed}, but ${found} was found; did you mean "${best}"?`;
  return { path, message, allowed, found, nearest: best };
}

/** The fault that a value does not meet a requirement, which is worded as the middle of a sentence. */
export function wrongValue(source: Source, path: KeyPath, requirement: string): Fault {
  const what = path.length === 0 ? 'The configuration' : `"${formatPath(path)}"`;
  return { path, message: `${what} ${requirement}, but ${describe(source, path)} was found.` };
}

/** The fault that a key is none of those allowed in the object at `parent`. */
export function unknownKey(parent: KeyPath, key: string, allowed: readonly string[]): Fault {
  const [best] = nearest(key, allowed, 1);
  const place = parent.length === 0 ? '' : `In "${formatPath(parent)}": `;
  const advice = best === undefined ? `allowed here: ${allowed.join(', ')}.` : `did you mean ${quoteKey(best)}?`;
  return {
    path: [...parent, key],
    at: 'key',
    message: `${place}unknown key ${quoteKey(key)}; ${advice}`,
    allowed: allowed.join(', '),
    ...(best === undefined ? {} : { nearest: best }),
  };
}

function toIssue(source: Source, fault: Fault): ConfigIssue {
  const position = fault.position ?? source.position(fault.path, fault.at ?? 'value', fault.within);
  return {
    file: source.file,
    line: position?.line ?? null,
    column: position?.column ?? null,
    path: printable(formatPath(fault.path)),
    message: printable(fault.message),
    found: fault.found ?? describeFound(source, fault),
    ...(fault.allowed === undefined ? {} : { allowed: fault.allowed }),
    ...(fault.nearest === undefined ? {} : { nearest: fault.nearest }),
  };
}

function describeFound(source: Source, fault: Fault): string {
  return fault.at === 'key'
    ? printable(`the key ${quoteKey(String(fault.path.at(-1)))}`)
    : describe(source, fault.path);
}

function formatIssue(issue: ConfigIssue): string {
  if (issue.file === null) return issue.message;
  return `${printable(issue.file)}:${issue.line ?? 1}:${issue.column ?? 1}: ${issue.message}`;
}

const longestShown = 60;

/** The value at a path, in words. Values that may be secret are named by their kind only. */
function describe(source: Source, path: KeyPath): string {
  const value = source.valueAt(path);
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const isHidden = path.some((step) => typeof step === 'string' && mayHoldSecrets(step));
  if (isHidden) return `a ${typeof value}`;
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
  const text = printable(redactText(value));
  return `the string ${JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)}`;
}

function mayHoldSecrets(key: string): boolean {
  return key === 'env' || key === 'headers' || key === 'args' || isSecretKey(key);
}
