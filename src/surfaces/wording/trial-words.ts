/** Words about a trial: the server's offer, the findings of the check, and why it does not work. */

import type { ShownTrial, TriedTool } from '../../admin/admin.ts';
import { plural } from '../../base/plural.ts';

export const verdictWords: Readonly<Record<NonNullable<TriedTool['verdict']>, string>> = {
  withheld: 'withheld',
  'on-hold': 'on hold',
  marked: 'marked',
};

const kinds = [
  ['resource', 'resource'],
  ['template', 'resource template'],
  ['prompt', 'prompt'],
] as const;

/** `2 tools, 1 prompt`. */
export function offersInWords({ tools, others }: Pick<ShownTrial, 'tools' | 'others'>): string {
  const counts = kinds.map(([kind, word]) => [others.filter((one) => one.kind === kind).length, word] as const);
  const named = counts.flatMap(([count, word]) => (count === 0 ? [] : plural(count, word)));
  return [plural(tools.length, 'tool'), ...named].join(', ');
}

/** The findings in sentences, with their effect on agents; empty if there are none. */
export function findingsInWords({ tools, others }: Pick<ShownTrial, 'tools' | 'others'>): string[] {
  return [...tools, ...others].flatMap(({ kind, name, verdict, reasons }) => {
    if (verdict === null) return [];
    const what = kind === 'server' ? 'Its description of itself' : kind === 'tool' ? name : `${name} (${kind})`;
    return `${what}: ${verdictWords[verdict]}. ${reasons.join(' ')}`.trim();
  });
}

/** The next step after a failed trial. */
export function trialAdvice({ hint, reason }: Pick<ShownTrial, 'hint' | 'reason'>): string | null {
  // A sign-in belongs to a server that is kept.
  if (reason === 'credential') return 'If it needs a sign-in, keep it and sign in on its page.';
  // Nothing restarts a program on trial, and its output is shown.
  return reason === 'exited' ? null : hint;
}

type Permissions = ReadonlyMap<string, TriedTool['permission']>;

/** The chosen permissions that differ from the trial's. */
export function chosenPermissions(
  tools: readonly TriedTool[],
  chosen: Permissions,
): Record<string, TriedTool['permission']> {
  const others = tools.flatMap(({ name, permission }) => {
    const wanted = chosen.get(name) ?? permission;
    return wanted === permission ? [] : [[name, wanted] as const];
  });
  return Object.fromEntries(others);
}
