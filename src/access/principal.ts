/** The one on whose behalf a request is made, as it was when the request came in. */

import type { SurfaceName } from '../config/config.ts';
import type { Project } from './project.ts';

export const scopeNames = ['use', 'admin', 'metrics', 'optimize'] as const;

export type Scope = (typeof scopeNames)[number];

export interface Principal {
  /** `owner`, `agent`, `token:ID`, `oauth:…` or `everybody`. */
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Which servers there are for it, as names with wildcards; undefined: all. */
  readonly servers?: readonly string[] | undefined;
  /** The project it came in by, as it is now: only that project's servers are there for it. */
  readonly project?: Project | undefined;
  /** Its surface, unless the URL names another. */
  readonly surface?: SurfaceName | undefined;
  /** The browser by which it came in, where it was one: it is gone when that is signed out. */
  readonly browser?: string | undefined;
  /** Changes with every change of what it may do, so that nothing made for it before is shown after. */
  readonly mark: string;
}

/** The principal of a gateway without authentication; loopback only. */
export const everybody: Principal = Object.freeze({
  id: 'everybody',
  name: 'everybody',
  scopes: new Set<Scope>(scopeNames),
  mark: '',
});

/** The scopes that these give: `optimize` is part of `admin`. */
export function scopesIn(given: Iterable<string>): readonly Scope[] {
  const names = new Set(given);
  return scopeNames.filter((scope) => names.has(scope) || (scope === 'optimize' && names.has('admin')));
}

const ownersToken = ": use the owner's token, kept in owner-token in the data folder";
const advices: Readonly<Record<Scope, string>> = {
  use: '',
  admin: ownersToken,
  optimize: ownersToken,
  metrics: ': make one that has it with "toolcrib token create NAME --scope metrics"',
};

/** The message about a missing scope. */
export function lackingScope(scope: Scope): string {
  return `This token lacks the scope "${scope}"${advices[scope]}.`;
}
