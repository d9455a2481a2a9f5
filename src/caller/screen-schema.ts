/** Decides whether a server's schema can be evaluated without harm: bounded size and depth, no fetching, no slow patterns. */

import { isObject } from '../base/json.ts';

const maxNodes = 5_000;
const maxDepth = 64;
const maxPatternLength = 200;

/** A group that repeats something that itself repeats, or alternatives inside a repetition: the shapes that backtrack. */
const riskyPattern =
  /\((?:[^()\\]|\\.)*(?:[+*]|\{\d+,\d*\})(?:[^()\\]|\\.)*\)\s*(?:[+*]|\{\d+,\d*\})|\((?:[^()\\]|\\.)*\|(?:[^()\\]|\\.)*\)\s*(?:[+*]|\{\d+,\d*\})|\\[1-9]/;

export function isScreened(schema: unknown): boolean {
  let nodes = 0;
  const visit = (node: unknown, depth: number): boolean => {
    nodes += 1;
    if (nodes > maxNodes || depth > maxDepth) return false;
    if (Array.isArray(node)) return node.every((item) => visit(item, depth + 1));
    if (!isObject(node)) return true;
    return Object.entries(node).every(([key, value]) => isSafeMember(key, value) && visit(value, depth + 1));
  };
  return visit(schema, 0);
}

function isSafeMember(key: string, value: unknown): boolean {
  // Only references within the schema: nothing is ever fetched, and a recursive one has no bound of its own.
  if (key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef')
    return typeof value === 'string' && value.startsWith('#/');
  if (key === 'pattern') return typeof value !== 'string' || isSafePattern(value);
  if (key === 'patternProperties') return isObject(value) && Object.keys(value).every(isSafePattern);
  return true;
}

function isSafePattern(pattern: string): boolean {
  return pattern.length <= maxPatternLength && !riskyPattern.test(pattern);
}
