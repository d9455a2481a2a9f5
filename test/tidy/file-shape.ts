/** Checks what a file is called, how it opens and how long it is. */

import { type Finding, lineCount, type SourceFile } from './finding.ts';
import { architecture, bannedFiles, emptyNames, longFiles, sizeLimits } from './rules.ts';

const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function checkName({ path }: SourceFile): Finding[] {
  const parts = path.split('/');
  const file = parts.pop() ?? '';
  const names = [...parts, file.replace(/(?:\.(?:test|d))?\.tsx?$/, '')];
  const reasons = names.flatMap((name) => {
    if (!kebabCase.test(name)) return [`"${name}" is not in kebab-case.`];
    const empty = name.split('-').find((part) => emptyNames.includes(part));
    return empty ? [`"${empty}" in a name says nothing; name the thing or the act inside.`] : [];
  });
  if (bannedFiles.includes(file))
    reasons.push(
      `${file} is neither a thing nor an act; types stand beside what they describe, and there are no barrels.`,
    );
  return reasons.map((reason) => ({ path, line: 1, reason }));
}

/** The file begins with a doc comment of at least one sentence; a `#!` line may stand before it. */
export function checkOpening({ path, text }: SourceFile): Finding[] {
  const opening = /^(?:#![^\n]*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? '';
  const sentence = opening.replace(/^\s*\*/gm, '').trim();
  if (/^[^a-z]/.test(sentence) && /\w\W*\s\W*\w/.test(sentence) && /[.!?](?:\s|$)/.test(sentence)) return [];
  return [{ path, line: 1, reason: 'Open the file with a doc comment: one sentence that says what it is.' }];
}

export function checkLength({ path, text }: SourceFile, exceptions = longFiles): Finding[] {
  const lines = lineCount(text);
  const isListed = exceptions.some((exception) => exception.path === path);
  if (isListed && lines <= sizeLimits.fileLines) {
    return [{ path, line: 1, reason: 'Listed as an exception for long files, but is not long: take it off the list.' }];
  }
  if (isListed || lines <= sizeLimits.fileLines) return [];
  return [
    {
      path,
      line: sizeLimits.fileLines + 1,
      reason: `The file has ${lines} lines; ${sizeLimits.fileLines} are the limit.`,
    },
  ];
}

export function checkArchitecture({ path, text }: SourceFile): Finding[] {
  const lines = lineCount(text);
  if (path !== architecture.path || lines <= architecture.mostLines) return [];
  return [
    {
      path,
      line: architecture.mostLines + 1,
      reason: `The map has ${lines} lines; above ${architecture.mostLines} nobody reads it.`,
    },
  ];
}
