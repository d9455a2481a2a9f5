/** What is wrong with arguments, as short sentences a model or a person can act on. */

import type { OutputUnit } from '@cfworker/json-schema';
import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';

/** Enough to correct a call; the rest shows after the next try. */
const maxMistakes = 8;
/** Keywords that merely say that something inside is wrong. */
const outerKeywords: readonly string[] = [
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'additionalProperties',
];

export function describeMistakes(
  errors: readonly OutputUnit[],
  schema: unknown,
  args: Record<string, unknown>,
): string[] {
  const missing = errors.filter((error) => error.keyword === 'required' && isRoot(error)).map(missingName);
  const refused = errors.filter(isRefusedName).map(lastPart);
  const spelling = pairNames(schema, args, missing, refused);
  const others = errors.filter((error) => !isNameError(error) && !isOuter(error, errors)).map(sentence);
  return [...new Set([...spelling, ...others])].slice(0, maxMistakes);
}

/** Missing names and names that are not allowed are often one mistake: the same name, misspelt. */
function pairNames(schema: unknown, args: Record<string, unknown>, missing: string[], refused: string[]): string[] {
  const known = knownNames(schema);
  const unused = known.filter((name) => !Object.hasOwn(args, name));
  const meant = new Map(refused.map((name) => [name, nearest(name, unused, 1)[0]]));
  const wrong = refused.map((name) => {
    const near = meant.get(name);
    return `there is no parameter "${name}"${near ? `; did you mean "${near}"?` : ''}`;
  });
  const explained = new Set(meant.values());
  // Where a schema allows any name, a misspelt one is noticed only by what is missing.
  const strangers = Object.keys(args).filter((name) => !known.includes(name) && !meant.has(name));
  const lacking = missing
    .filter((name) => !explained.has(name))
    .map((name) => {
      const near = nearest(name, strangers, 1)[0];
      return `the parameter "${name}" is missing${near ? `; is "${near}" meant to be it?` : ''}`;
    });
  return [...wrong, ...lacking];
}

export function knownNames(schema: unknown): string[] {
  return isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
}

function sentence(error: OutputUnit): string {
  const where = error.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.') || 'the arguments';
  if (error.keyword === 'required') return `${where}: the parameter "${missingName(error)}" is missing`;
  if (error.keyword === 'false') return `${where} is not allowed`;
  return `${where}: ${error.error.replace(/\.$/, '').replace(/^Instance/, 'the value')}`;
}

function isRoot(error: OutputUnit): boolean {
  return error.instanceLocation === '#';
}

/** A name at the top that a closed schema does not know. */
function isRefusedName(error: OutputUnit): boolean {
  return error.keyword === 'false' && error.instanceLocation.split('/').length === 2;
}

function isNameError(error: OutputUnit): boolean {
  return isRefusedName(error) || (error.keyword === 'required' && isRoot(error));
}

function isOuter(error: OutputUnit, errors: readonly OutputUnit[]): boolean {
  if (!outerKeywords.includes(error.keyword)) return false;
  return errors.some((other) => other !== error && other.instanceLocation.startsWith(error.instanceLocation));
}

function missingName(error: OutputUnit): string {
  return /"([^"]+)"/.exec(error.error)?.[1] ?? '';
}

function lastPart(error: OutputUnit): string {
  return (error.instanceLocation.split('/').at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}
