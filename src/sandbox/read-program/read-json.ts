/** Reads the JSON that models write instead of code: calls, or an object that carries the code. */

import type { AnyNode, Property, SpreadElement } from 'acorn';
import { isObject, parseJson } from '../../base/json.ts';
import { expressionIn } from './parse-code.ts';

export type JsonReading = { readonly code: string } | { readonly calls: readonly unknown[] };

const codeNames = ['code', 'script', 'program', 'source', 'javascript', 'typescript', 'js', 'ts'];
const listNames = ['calls', 'tool_calls', 'toolCalls', 'steps'];
const argumentNames = ['arguments', 'args', 'parameters', 'params', 'input'];
const toolNames = [
  'toolKey',
  'tool_key',
  'tool',
  'toolName',
  'name',
  'server',
  'serverName',
  'function',
  'type',
  'id',
  'index',
];

/** Reads JSON as calls or as code; undefined for code itself, and for JSON that is only data. */
export function readJson(text: string): JsonReading | undefined {
  const trimmed = text.trim();
  if (!/^[{["]/.test(trimmed)) return undefined;
  const value = parsed(trimmed);
  if (value !== undefined) return readingOf(value, 0);
  const calls = callsIn(dataIn(expressionIn(trimmed)));
  return calls === undefined ? callsByLine(trimmed) : { calls };
}

function readingOf(value: unknown, depth: number): JsonReading | undefined {
  if (typeof value === 'string') return /[(\n]|=>|;/.test(value) ? { code: value } : undefined;
  const calls = callsIn(value);
  if (calls !== undefined && !calls.some(isChain)) return { calls };
  if (!isObject(value) || depth > 2) return undefined;
  for (const name of codeNames) {
    const code = value[name];
    if (typeof code === 'string' && code.trim() !== '') return { code };
  }
  const inner = argumentNames.map((name) => value[name]).find((one) => one !== undefined);
  return inner === undefined
    ? undefined
    : readingOf(typeof inner === 'string' ? (parsed(inner) ?? inner) : inner, depth + 1);
}

/** Members under which calls in other formats name their results. */
const resultNames = [
  'as',
  'id',
  'saveAs',
  'save_as',
  'assign',
  'assignTo',
  'output',
  'resultName',
  'storeAs',
  'store_as',
];
/** Usual names for the results of earlier calls. */
const usualResults = ['step', 'steps', 'call', 'calls', 'result', 'results', 'previous', 'prev', 'last', 'output'];

/** A text in one of several calls that is plainly meant to stand for the result of another: it would be sent as it is. */
export function referenceIn(calls: readonly unknown[]): string | undefined {
  if (calls.length < 2) return undefined;
  const named = calls.filter(isObject).flatMap((call) => resultNames.map((name) => call[name]));
  const known = new Set([...usualResults, ...named.filter((name) => typeof name === 'string')]);
  for (const [whole, name] of JSON.stringify(calls).matchAll(/"(?:\$\{?|\{\{\s*)([A-Za-z_]\w*)[^"\\]{0,60}/g))
    if (known.has(name ?? '')) return `${whole}"`;
  return undefined;
}

/** A call of the very tool that is running: its code is what is meant. */
function isChain(call: unknown): boolean {
  return isObject(call) && /(?:^|[:._])call_tool_chain$/.test(String(call.toolKey ?? call.tool ?? call.name));
}

function callsIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) {
    const calls = value.map(callOf);
    return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
  }
  if (!isObject(value)) return undefined;
  for (const name of listNames) if (Array.isArray(value[name])) return callsIn(value[name]);
  const call = callOf(value);
  return call === undefined ? undefined : [call];
}

/** Data may have a `name` too: a call has arguments, or a member that only calls have. */
function callOf(value: unknown): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  if (isObject(value.function)) return typeof value.function.name === 'string' ? value.function : undefined;
  const { toolKey, tool_key, tool, toolName, name, type } = value;
  const hasArguments = argumentNames.some((one) => value[one] !== undefined);
  const isSurelyCall = [toolKey, tool_key, tool].some((one) => typeof one === 'string' && one !== '');
  const isNamed = [toolName, name].some((one) => typeof one === 'string' && one !== '');
  if (!isSurelyCall && !(isNamed && (hasArguments || type === 'tool_use'))) return undefined;
  if (hasArguments) return value;
  // Arguments beside the tool's name instead of below it.
  const rest = Object.entries(value).filter(([key]) => !toolNames.includes(key));
  return rest.length === 0 ? value : { ...value, arguments: Object.fromEntries(rest) };
}

/** The value of a literal of JavaScript, with names and quotes as one writes them there; undefined where it is more than data. */
function dataIn(node: AnyNode | null | undefined): unknown {
  switch (node?.type) {
    case 'Literal':
      return node.regex || node.bigint ? undefined : node.value;
    case 'UnaryExpression':
      return node.operator === '-' && typeof dataIn(node.argument) === 'number'
        ? -Number(dataIn(node.argument))
        : undefined;
    case 'ArrayExpression':
      return complete(node.elements.map(dataIn));
    case 'ObjectExpression': {
      const names = complete(node.properties.map(nameIn));
      const values = complete(node.properties.map((one) => (one.type === 'Property' ? dataIn(one.value) : undefined)));
      return names && values && Object.fromEntries(names.map((name, at) => [name, values[at]]));
    }
  }
  return undefined;
}

function nameIn(property: Property | SpreadElement): string | undefined {
  if (property.type !== 'Property' || property.computed) return undefined;
  const { key } = property;
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : undefined;
}

function complete<T>(values: readonly T[]): readonly Exclude<T, undefined>[] | undefined {
  return values.every((one) => one !== undefined) ? (values as readonly Exclude<T, undefined>[]) : undefined;
}

/** One call a line. */
function callsByLine(text: string): JsonReading | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  const calls = lines.map((line) => callOf(parsed(line.trim().replace(/,$/, ''))));
  return calls.every((call) => call !== undefined) ? { calls } : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Not JSON but code.
    return undefined;
  }
}
