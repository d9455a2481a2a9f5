/** Other readings of a value: what somebody may have meant who wrote a number as a text, or one item for a list of them. */

import { parseExactJson } from '../base/json.ts';
import type { Steps } from './validate-arguments-place.ts';

/** Choices that are compared without regard to case. */
const maxChoices = 5_000;
/** Characters of a text that is read as JSON. */
const maxJsonText = 1_000_000;

/** A text that somebody meant as several items, as none, or as a list in a writing that is not JSON. */
const notOneItem = /^\s*$|[,;\r\n]|^\s*[[{]|^\s*(?:none|null|nil|undefined)\s*$/i;
const words = /^\p{L}[\p{L}\d _.-]*$/u;
const oneWord = /\p{L}{3}/u;

const longWhole = /^-?[1-9]\d{15,20}$/;
const decimal = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?$/;

/** Every reading that loses nothing; whether the schema takes one is for others to say. `choices`: the values it lists. */
export function readingsOf(value: unknown, choices: readonly unknown[], steps: Steps): unknown[] {
  if (typeof value === 'string') return readingsOfText(value, choices, steps);
  if (typeof value === 'number') return [...(isPlain(value) ? [String(value)] : []), [value]];
  if (typeof value === 'boolean') return [String(value), [value]];
  return value !== null && !Array.isArray(value) ? [[value]] : [];
}

function readingsOfText(text: string, choices: readonly unknown[], steps: Steps): unknown[] {
  const container = containerIn(text, steps);
  // Whoever writes a list or an object as text means it, not a list with that text in it.
  if (container !== undefined) return [container];
  const readings: unknown[] = notOneItem.test(text) ? [] : [[text]];
  if (isExactNumber(text)) readings.push(Number(text));
  // A whole number that JavaScript would round is passed on with all its digits.
  else if (longWhole.test(text)) readings.push(JSON.rawJSON(text));
  if (/^(?:true|false)$/i.test(text)) readings.push(text.toLowerCase() === 'true');
  const choice = choiceFor(text, choices, steps);
  if (choice !== undefined) readings.push(choice);
  return readings;
}

/** The object or array that a text holds as JSON, with every number as it is written. */
function containerIn(text: string, steps: Steps): unknown {
  if (!/^\s*[[{]/.test(text.slice(0, 100)) || text.length > maxJsonText) return undefined;
  steps.spend(text.length >> 6);
  try {
    return parseExactJson(text);
  } catch {
    // No JSON: then it is a text like any other.
    return undefined;
  }
}

/** "5" and "-1.5" as a number, but not "5.0", "0x5", "1e3" or more digits than a number keeps: the way back must give the same text. */
function isExactNumber(text: string): boolean {
  if (!decimal.test(text)) return false;
  const value = Number(text);
  return String(value) === text && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function isPlain(value: number): boolean {
  return !Object.is(value, -0) && isExactNumber(String(value));
}

/** The one choice that differs only in case, where that has no meaning. */
function choiceFor(text: string, choices: readonly unknown[], steps: Steps): string | undefined {
  if (text.length > 200) return undefined;
  const folded = text.toLowerCase();
  const same = new Set<string>();
  for (const choice of choices.slice(0, maxChoices))
    if (typeof choice === 'string' && choice.length <= 200 && choice.toLowerCase() === folded) same.add(choice);
  steps.spend(Math.min(choices.length, maxChoices) >> 2);
  const [only] = same;
  return only !== undefined && same.size === 1 && isInWords(only) ? only : undefined;
}

/** Whether a choice is made of words, in which case says nothing. In `1M` and `Mb` it does. */
export function isInWords(choice: string): boolean {
  return words.test(choice) && oneWord.test(choice);
}
