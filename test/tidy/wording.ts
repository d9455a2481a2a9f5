/** Checks texts against the patterns that are banned, everywhere or in some folders. */

import { type Finding, isTest, lineAt, type SourceFile, startsWithAny } from './finding.ts';
import { maskSource } from './mask-source.ts';
import { type TextRule, textRules } from './rules.ts';

export function checkWording(file: SourceFile): Finding[] {
  const isSource = file.path.endsWith('.ts');
  const masked = isSource ? maskSource(file.text) : undefined;
  return textRules
    .filter((rule) => appliesTo(rule, file.path) && (isSource || rule.sees === 'all'))
    .flatMap((rule) => {
      const seen = rule.sees === 'all' || masked === undefined ? file.text : masked[rule.sees];
      return [...seen.matchAll(new RegExp(rule.pattern, `${rule.pattern.flags}g`))].map((match) => ({
        path: file.path,
        line: lineAt(seen, match.index),
        reason: `"${match[0].trim().split('\n')[0]}": ${rule.reason}`,
      }));
    });
}

function appliesTo(rule: TextRule, path: string): boolean {
  if (!rule.includesTests && isTest(path)) return false;
  if (rule.only && !startsWithAny(path, rule.only)) return false;
  return !startsWithAny(path, Object.keys(rule.except ?? {}));
}
