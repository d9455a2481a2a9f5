/** Reads which modules a file imports and checks them against the order of folders and the rules for modules. */

import { posix } from 'node:path';
import { type Finding, isTest, lineAt, type SourceFile, startsWithAny } from './finding.ts';
import { checkFolderOrder } from './folder-order.ts';
import { maskSource } from './mask-source.ts';
import { moduleRules } from './rules.ts';

export interface Import {
  /** As written; undefined when it is computed at run time. */
  readonly specifier: string | undefined;
  readonly line: number;
}

/** Static and dynamic imports, re-exports, types and `require`. */
export function importsOf(text: string): Import[] {
  const { code } = maskSource(text);
  const found: Import[] = [];
  for (const match of code.matchAll(/\bfrom\s*(?=['"])|\b(?:import|require)\s*\(\s*|\bimport\s*(?=['"])/g)) {
    if (code[match.index - 1] === '.') continue;
    const start = match.index + match[0].length;
    const quote = code[start] ?? '';
    const end = /['"`]/.test(quote) ? text.indexOf(quote, start + 1) : -1;
    const specifier = end === -1 ? undefined : text.slice(start + 1, end);
    found.push({ specifier: specifier?.includes('${') ? undefined : specifier, line: lineAt(text, match.index) });
  }
  return found;
}

export function checkImports(file: SourceFile): Finding[] {
  return importsOf(file.text).flatMap(({ specifier, line }) => {
    const reason = specifier === undefined ? computedReason(file.path) : importReason(file.path, specifier);
    return reason === undefined ? [] : [{ path: file.path, line, reason }];
  });
}

function computedReason(path: string): string | undefined {
  if (!path.startsWith('src/') || isTest(path)) return undefined;
  return 'An import whose path is computed cannot be checked: write the path out.';
}

function importReason(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return checkFolderOrder(path, posix.join(posix.dirname(path), specifier));
  if (isTest(path)) return undefined;
  const broken = moduleRules.find(
    (rule) =>
      rule.pattern.test(specifier) && startsWithAny(path, rule.only) && !startsWithAny(path, Object.keys(rule.except)),
  );
  return broken && `${specifier} may not be imported here. ${broken.reason}`;
}
