/** Rates a description by six questions that an agent has before a call, from its wording alone. */

import { isObject } from '../base/json.ts';
import { givenText } from '../base/text.ts';
import type { Definition } from '../trust/trust.ts';
import { plainWords } from './plain-words.ts';

export const questions = {
  purpose: 'what it does',
  use: 'when to use it',
  avoid: 'when not to, and what instead',
  needs: 'what it needs',
  returns: 'what it returns',
  limits: 'its limits',
} as const;
export type Question = keyof typeof questions;

/** True where the description, or for needs and results the schema, answers the question. */
export type Rating = Readonly<Record<Question, boolean>>;

/** Words beyond those of the name: fewer only repeat it. */
const leastNewWords = 2;

const signs: Readonly<Record<'use' | 'avoid' | 'returns' | 'limits', RegExp>> = {
  use: /\b(?:use (?:this|it|when|for|to)|useful|when (?:you|the user|a user|someone)|if you (?:want|need)|helps? (?:to|you)|for (?:finding|checking|getting|exploring))\b|用于|适用|verwende|utilisez|使う/i,
  avoid:
    /\b(?:do not use|don't use|not (?:for|intended|suitable)|instead|rather than|prefer \S+ (?:for|when|if)|unlike|use \S+ (?:for|when|if) )|不要|代わり|stattdessen|plutôt/i,
  returns:
    /\b(?:returns?|gives? back|outputs?|responds? with|results? (?:is|are|contain)|yields?|produces?)\b|返回|返し|gibt .* zurück|renvoie/i,
  limits:
    /\b(?:at most|up to|maximum|max(?:imum)?\b|limit(?:ed|s)?|only (?:works?|supports?|within|for|if|when)|must|cannot|can't|fails? (?:if|when)|read-only|requires?|deprecated|slow|overwrit)/i,
};

export function rateDescription(definition: Definition): Rating {
  const text = givenText(definition.description);
  const own = new Set(plainWords(`${definition.name} ${givenText(definition.title)}`));
  const fresh = plainWords(text).filter((word) => !own.has(word));
  return {
    purpose: fresh.length >= leastNewWords,
    use: signs.use.test(text),
    avoid: signs.avoid.test(text),
    needs: explainsNeeds(definition.inputSchema, text),
    returns: signs.returns.test(text) || isObject(definition.outputSchema),
    limits: signs.limits.test(text),
  };
}

/** Every required parameter is described in the schema or named in the text. */
function explainsNeeds(schema: unknown, text: string): boolean {
  if (!isObject(schema)) return true;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return required.every((name) => {
    if (typeof name !== 'string') return true;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return (isObject(property) && givenText(property.description) !== '') || text.includes(name);
  });
}
