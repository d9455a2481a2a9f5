/** Reads input by a schema, and says in words what is wrong with it. */

import { z } from 'zod';
import { GatewayError } from '../base/errors.ts';

/** Mistakes that are named; a body of thousands of tools may hold as many. */
const mistakesNamed = 3;

/** The value, or the mistakes in it as one text: `"limit" must be at most 100; "mode" must be one of …`. */
export type InputReading<T> = { readonly value: T } | { readonly mistakes: string };

/** `whole` is what the value is called where no part of it is to blame. */
export function readInput<S extends z.ZodType>(schema: S, input: unknown, whole: string): InputReading<z.infer<S>> {
  // Where a schema has words of its own they come first; they too are the middle of a sentence.
  const parsed = schema.safeParse(input, { error: requirementOf });
  if (parsed.success) return { value: parsed.data };
  const mistakes = parsed.error.issues
    .slice(0, mistakesNamed)
    .map(({ path, message }) => `${path.length === 0 ? whole : `"${z.core.toDotPath(path)}"`} ${message}`);
  return { mistakes: mistakes.join('; ') };
}

type Issue = z.core.$ZodRawIssue;

function requirementOf(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'unrecognized_keys')
    return `has no member ${issue.keys.map((key) => JSON.stringify(key)).join(' or ')}`;
  if (issue.code === 'too_small') return `must ${amountOf(issue.origin, 'at least', issue.minimum)}`;
  if (issue.code === 'too_big') return `must ${amountOf(issue.origin, 'at most', issue.maximum)}`;
  return undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function amountOf(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${counted(limit, 'character')}`;
  if (origin === 'array') return `have ${bound} ${counted(limit, 'item')}`;
  return `be ${bound} ${limit}`;
}

function counted(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;
}

/** The arguments as a schema reads them, or trouble that says what is wrong with them. */
export function readToolArguments<S extends z.ZodType>(name: string, schema: S, args: unknown): z.infer<S> {
  const reading = readInput(schema, args, 'the arguments');
  if ('value' in reading) return reading.value;
  throw badArguments(name, reading.mistakes);
}

/** `what` is wrong with the arguments for a tool of ours. */
export function badArguments(name: string, what: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `The arguments for "${name}" are not right: ${what}.`);
}

/** A whole number; one beyond the bounds counts as the bound. */
export function clamped(least: number, most: number) {
  return z.coerce
    .number({ error: `must be a whole number from ${least} to ${most}` })
    .transform((value) => Math.min(most, Math.max(least, Math.round(value))));
}
