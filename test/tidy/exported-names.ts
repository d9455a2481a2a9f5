/** Checks that an exported name means one thing: no two files of `src` declare the same one. */

import { type Finding, isTest, lineAt, type SourceFile } from './finding.ts';
import { maskSource } from './mask-source.ts';

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|class|function\*?|const|let) (\w+)/gm;

export function checkExportedNames(files: readonly SourceFile[]): Finding[] {
  const firstFileOf = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { path, text } of files) {
    if (!path.startsWith('src/') || isTest(path)) continue;
    const { code } = maskSource(text);
    for (const match of code.matchAll(declaration)) {
      const name = match[1] ?? '';
      const first = firstFileOf.get(name) ?? path;
      firstFileOf.set(name, first);
      if (first === path) continue;
      const reason = `"${name}" is exported by ${first} too: give one of them a more specific name.`;
      findings.push({ path, line: lineAt(code, match.index), reason });
    }
  }
  return findings;
}
