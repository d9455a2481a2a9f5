/** How agents have a tool, as a badge. */

import type { SurveyedTool } from '../../../../admin/admin.ts';
import { Badge, type Tone } from '../../parts/basic.tsx';

type ShownTool = Pick<SurveyedTool, 'absence' | 'permission'>;

const absences: Readonly<Record<NonNullable<SurveyedTool['absence']>, readonly [Tone, string]>> = {
  withheld: ['warn', 'withheld'],
  'on-hold': ['warn', 'on hold'],
  denied: ['quiet', 'denied'],
  hidden: ['quiet', 'not exposed'],
  off: ['quiet', 'server disabled'],
  failing: ['bad', 'server fails'],
  unlisted: ['plain', 'not listed yet'],
  unknown: ['plain', 'gone'],
  scope: ['quiet', 'not allowed'],
  server: ['quiet', 'not allowed'],
  project: ['quiet', 'not in the project'],
};

export function toolStateInWords({ absence, permission }: ShownTool): string {
  if (absence !== null) return absences[absence][1];
  return permission === 'ask' ? 'after approval' : 'callable';
}

export function ToolStateBadge({ tool }: { readonly tool: ShownTool }) {
  const { absence, permission } = tool;
  const tone = absence === null ? (permission === 'ask' ? 'plain' : 'good') : absences[absence][0];
  return <Badge tone={tone}>{toolStateInWords(tool)}</Badge>;
}
