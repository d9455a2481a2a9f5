/** How agents have a tool, as a badge. */

import type { SurveyedTool } from '../../../../admin/admin.ts';
import { toolStateInWords } from '../../../wording/wording.ts';
import { Badge, type Tone } from '../../parts/basic.tsx';

/** The others are quiet. */
const absences: Readonly<Partial<Record<NonNullable<SurveyedTool['absence']>, Tone>>> = {
  ...{ withheld: 'warn', 'on-hold': 'warn', failing: 'bad', unlisted: 'plain', unknown: 'plain' },
};

export function ToolStateBadge({ tool }: { readonly tool: Pick<SurveyedTool, 'absence' | 'permission'> }) {
  const { absence, permission } = tool;
  const tone = absence === null ? (permission === 'ask' ? 'plain' : 'good') : (absences[absence] ?? 'quiet');
  return <Badge tone={tone}>{toolStateInWords(tool)}</Badge>;
}
