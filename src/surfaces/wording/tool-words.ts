/** Tools in words: how agents have them, and what their servers claim about them. */

import type { SurveyedTool } from '../../admin/admin.ts';
import { isSchema } from './resolve-schema.ts';

const absences: Readonly<Record<NonNullable<SurveyedTool['absence']>, string>> = {
  withheld: 'withheld',
  'on-hold': 'on hold',
  denied: 'denied',
  hidden: 'not exposed',
  off: 'server disabled',
  failing: 'server fails',
  unlisted: 'not listed yet',
  unknown: 'gone',
  scope: 'not allowed',
  server: 'not allowed',
  project: 'not in the project',
};

export function toolStateInWords({ absence, permission }: Pick<SurveyedTool, 'absence' | 'permission'>): string {
  if (absence !== null) return absences[absence];
  return permission === 'ask' ? 'after approval' : 'callable';
}

/** Of a tool that agents do not have, only what is on record can be shown. */
export function isDefinitionReadable({ absence }: Pick<SurveyedTool, 'absence'>): boolean {
  return absence === null || absence === 'on-hold' || absence === 'failing';
}

const hints: readonly (readonly [key: string, whenTrue: string, whenFalse: string])[] = [
  ['readOnlyHint', 'only reads', 'may write'],
  ['destructiveHint', 'may destroy', 'destroys nothing'],
  ['idempotentHint', 'safe to repeat', 'not safe to repeat'],
  ['openWorldHint', 'reaches other systems', 'stays in its own system'],
];

/** `only reads, safe to repeat`: as the annotations of a tool say. */
export function claimsInWords(annotations: unknown): string {
  const claims = hints.flatMap(([key, whenTrue, whenFalse]) => {
    const value = isSchema(annotations) ? annotations[key] : undefined;
    return value === true ? [whenTrue] : value === false ? [whenFalse] : [];
  });
  return claims.join(', ');
}
