/** Checks that every promised behaviour is cited by a test, and that tests cite only promises that exist. Test titles begin with the id in square brackets. */

import { type Finding, isTest, lineAt, type SourceFile } from './finding.ts';

export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  readonly source: string;
}

const requirementsFile = 'test/requirements.ts';
const citation = /\[([A-Z]+-\d+)\]/g;

export function checkRequirements(requirements: readonly Requirement[], files: readonly SourceFile[]): Finding[] {
  const known = new Set(requirements.map((requirement) => requirement.id));
  const cited = new Set<string>();
  const findings: Finding[] = [];
  for (const { path, text } of files.filter((file) => isTest(file.path))) {
    for (const match of text.matchAll(citation)) {
      const id = match[1] ?? '';
      cited.add(id);
      if (!known.has(id))
        findings.push({ path, line: lineAt(text, match.index), reason: `${id} is not in ${requirementsFile}.` });
    }
  }
  const repeated = requirements.filter((one, at) => requirements.findIndex((other) => other.id === one.id) !== at);
  for (const { id } of repeated) findings.push({ path: requirementsFile, line: 1, reason: `${id} is there twice.` });
  for (const { id, sentence } of requirements) {
    if (!cited.has(id)) findings.push({ path: requirementsFile, line: 1, reason: `No test proves ${id}: ${sentence}` });
  }
  return findings;
}
