/** Settings that the schema accepts and nothing reads yet: the schema marks each, and a file that sets one gets a warning. */

import { z } from 'zod';
import { isObject } from '../base/json.ts';
import type { Report } from './issues.ts';
import { formatPath, type KeyPath } from './locate.ts';

/** Apart from what goes into the JSON Schema for editors. */
const marks = z.registry<{ readonly reason: string }>();

/** Marks a setting, or a whole section. `reason` ends the sentence "… has no effect". */
export function idle<T extends z.ZodType>(schema: T, reason: string): T {
  // The registry's own type asks for a schema of no particular kind.
  marks.add(schema as z.ZodType, { reason });
  return schema;
}

/** Warns of each marked setting that stands in the file. `written` is what stands there. */
export function warnIdle(schema: z.ZodType, written: unknown, warn: Report, path: KeyPath = []): void {
  const mark = marks.get(schema);
  if (mark) return warn({ path, at: 'key', message: `"${formatPath(path)}" has no effect ${mark.reason}.` });
  if (!isObject(written)) return;
  for (const [key, member] of Object.entries(membersOf(schema))) {
    if (Object.hasOwn(written, key)) warnIdle(member, written[key], warn, [...path, key]);
  }
}

/** Every setting that is no section itself, by its path, with whether it or its section is marked. */
export function* settingsOf(
  schema: z.ZodType,
  path: KeyPath = [],
  isIdle = false,
): Generator<readonly [KeyPath, boolean]> {
  const isMarked = isIdle || marks.has(schema);
  const members = Object.entries(membersOf(schema));
  if (members.length === 0) yield [path, isMarked];
  for (const [key, member] of members) yield* settingsOf(member, [...path, key], isMarked);
}

/** The members of a section, however its default is wrapped around it; none for anything else. */
function membersOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  let inner: z.ZodType = schema;
  while (inner instanceof z.ZodPrefault || inner instanceof z.ZodDefault) inner = inner.unwrap() as z.ZodType;
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : {};
}
