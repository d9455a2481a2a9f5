/** What the doctor found, a line each: fine, worth knowing, or wrong. */

import type { Finding } from '../../admin/admin.ts';
import { printable } from '../../base/text.ts';
import { plural } from './plural.ts';
import type { Style } from './style.ts';

/** `more` stands before the summary, where there is any. */
export function renderFindings(findings: readonly Finding[], style: Style, more = ''): string {
  const problems = findings.filter((finding) => finding.severity === 'problem').length;
  const summary = problems === 0 ? style.good('No problem found.') : style.bad(`${plural(problems, 'problem')} found.`);
  const between = more === '' ? [] : ['', more];
  return [...findings.map((finding) => renderFinding(finding, style)), ...between, '', summary].join('\n');
}

function renderFinding(finding: Finding, style: Style): string {
  const lines = [`${signOf(finding, style)} ${printable(finding.message)}`];
  for (const line of finding.output ?? []) lines.push(style.faint(`    │ ${printable(line)}`));
  if (finding.hint) lines.push(`    → ${printable(finding.hint)}`);
  return lines.join('\n');
}

function signOf({ severity }: Finding, style: Style): string {
  if (severity === 'ok') return style.good('✓');
  return severity === 'note' ? style.notice('!') : style.bad('✗');
}
