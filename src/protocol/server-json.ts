/** JSON that servers write: numbers of results stay as they were written, and one item of a list that is nested too deeply does not cost the others. */

import { isObject, JsonDepthError, maxJsonDepth, parseFaithfulJson, parseJson, pruneJson } from '../base/json.ts';
import { classify, type RpcMessage } from './messages.ts';

/** Nesting left to an item below the list that holds it. */
const itemDepth = maxJsonDepth - 8;
/** Members of a result that are passed on to an agent; those of lists are compared, checked and stored. */
const passedOn: readonly string[] = ['content', 'structuredContent', 'contents', 'messages'];
const lists: readonly string[] = ['tools', 'resources', 'resourceTemplates', 'prompts'];
const names: readonly string[] = ['name', 'uri', 'uriTemplate'];

const tooDeep = Symbol('nested too deeply');

/** Throws SyntaxError or JsonLimitError. */
export function parseServerJson(text: string): unknown {
  const value = parseOrRescue(text);
  return isPassedOn(value) ? parseFaithfulJson(text, value) : value;
}

/** The message that a text is; undefined when there is none, as in what a careless server prints between its messages. */
export function parseMessage(text: string): RpcMessage | undefined {
  try {
    const value = parseServerJson(text);
    return classify(value) === undefined ? undefined : (value as RpcMessage);
  } catch {
    return undefined;
  }
}

/** True if all but the name of a list item was left out, because it is nested too deeply. */
export function isTooDeep(item: unknown): boolean {
  return isObject(item) && tooDeep in item;
}

function parseOrRescue(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonDepthError)) throw error;
    // One level more than is taken, so that what was pruned can be told from what just fits.
    const kept = maxJsonDepth + 1;
    const value = parseJson(pruneJson(text, kept), kept);
    const result = isObject(value) && isObject(value.result) ? value.result : {};
    let isRescued = false;
    for (const list of lists) {
      const items = result[list];
      if (!Array.isArray(items)) continue;
      isRescued = true;
      result[list] = items.map((item) => (isWithin(item, itemDepth) ? item : nameOf(item)));
    }
    if (!isRescued || !isWithin(value, maxJsonDepth)) throw error;
    return value;
  }
}

function nameOf(item: unknown): Record<string | symbol, unknown> {
  const known = isObject(item) ? names.filter((name) => typeof item[name] === 'string') : [];
  return {
    ...Object.fromEntries(known.map((name) => [name, (item as Record<string, unknown>)[name]])),
    [tooDeep]: true,
  };
}

function isPassedOn(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.result)) return false;
  const { result } = value;
  return passedOn.some((member) => result[member] !== undefined);
}

/** True if objects and arrays are nested within the limit. */
function isWithin(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return most > 0 && Object.values(value).every((item) => isWithin(item, most - 1));
}
