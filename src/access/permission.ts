/** What the owner says about tools: `allow`, `ask` or `deny`, by names in which `*` stands for any run of characters. */

import type { ServerSpec } from '../config/config.ts';
import { isPattern, Pattern } from './pattern.ts';
import type { Project } from './project.ts';

export type Permission = 'allow' | 'ask' | 'deny';

const strictness: Readonly<Record<Permission, number>> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two answers: what one place forbids, another cannot allow. */
export function stricter(a: Permission, b: Permission): Permission {
  return strictness[a] >= strictness[b] ? a : b;
}

/** What a server's own settings say about one of its tools. */
export function permissionOfServer({ permissions }: ServerSpec, tool: string): Permission {
  return tableOf(permissions).of(tool);
}

/** What a project says about a tool of a server. */
export function permissionOfProject({ permissions }: Project, server: string, tool: string): Permission {
  return tableOf(permissions).of(`${server}:${tool}`);
}

/** Whether anything at all may be refused by these settings. */
export function hasDenials(permissions: ReadonlyMap<string, Permission>): boolean {
  return [...permissions.values()].includes('deny');
}

interface Rule {
  readonly pattern: Pattern;
  readonly permission: Permission;
}

/** Settings made ready to be asked for every tool of a catalog. */
class PermissionTable {
  readonly #exact: ReadonlyMap<string, Permission>;
  /** The most specific first; of equally specific ones the strictest. */
  readonly #rules: readonly Rule[];

  constructor(permissions: ReadonlyMap<string, Permission>) {
    this.#exact = new Map([...permissions].filter(([text]) => !isPattern(text)));
    const rules = [...permissions]
      .filter(([text]) => isPattern(text))
      .map(([text, permission]) => ({ pattern: new Pattern(text), permission }));
    this.#rules = rules.sort(
      (a, b) =>
        b.pattern.literalLength - a.pattern.literalLength || strictness[b.permission] - strictness[a.permission],
    );
  }

  /** What nothing is said about is allowed. */
  of(name: string): Permission {
    const exact = this.#exact.get(name);
    if (exact !== undefined) return exact;
    return this.#rules.find(({ pattern }) => pattern.matches(name))?.permission ?? 'allow';
  }
}

function tableOf(permissions: ReadonlyMap<string, Permission>): PermissionTable {
  const known = tables.get(permissions);
  if (known) return known;
  const table = new PermissionTable(permissions);
  tables.set(permissions, table);
  return table;
}

/** Settings never change: other ones come in another map. */
const tables = new WeakMap<ReadonlyMap<string, Permission>, PermissionTable>();
