/** Judges a change of what a tool takes: parameters that give it new reach, values that are filled in, limits that are gone. */

import { isDeepStrictEqual } from 'node:util';
import { farGrowth, skipsApproval } from './judge-texts.ts';
import type { Definition, Notice } from './judgement.ts';
import { isReaching, newReach, type Parameter, parametersOf, parameterWords } from './parameters.ts';
import { account, privatePlace } from './scan/private-data.ts';

/** `known`: all that the definition said until now. */
export function judgeParameters(before: Definition, after: Definition, known: string): Notice[] {
  const [old, now] = [parametersOf(before), parametersOf(after)];
  const gone = [...old.values()].filter(({ where }) => !now.has(where));
  return [
    ...[...now.values()].flatMap((parameter) => judgeParameter(old.get(parameter.where), parameter, known)),
    ...gone.filter(({ name }) => guards.test(parameterWords(name))).map(({ where }): Notice => unguarded(where)),
  ];
}

/** Parameters by which somebody has to agree. */
const guards = /^(?:confirm(?:ed|ation)?|consent|approv(?:al|ed)|dry ?run|acknowledge\w*|i understand)$/;

function unguarded(where: string): Notice {
  return { grade: 'risky', code: 'wider', where, sentence: 'It no longer asks for a confirmation.' };
}

function judgeParameter(was: Parameter | undefined, is: Parameter, known: string): Notice[] {
  const { where, schema, name } = is;
  if (was !== undefined && isDeepStrictEqual(was.schema, schema) && was.isRequired === is.isRequired) return [];
  const reach = newReach(is, known);
  const isSaid = was === undefined || was.name !== name || wordsOf(was.schema) !== wordsOf(schema);
  const notices: Notice[] = [];
  if (reach !== undefined && isSaid)
    notices.push({
      grade: 'risky',
      code: reach === 'credentials' ? 'secrets' : 'wider',
      where,
      sentence: reachSentences[reach],
    });
  if (was?.isRequired && !is.isRequired && guards.test(parameterWords(name))) notices.push(unguarded(where));
  if (
    was !== undefined &&
    isReaching(is) &&
    ['pattern', 'enum', 'const'].some((rule) => was.schema[rule] !== undefined && schema[rule] === undefined)
  )
    notices.push({
      grade: 'risky',
      code: 'wider',
      where,
      sentence: 'Any value is accepted now, not only those that were named.',
    });
  return [...notices, ...judgeSkips(was, is), ...judgeBound(was, is), ...judgeDefault(was?.schema ?? {}, is, known)];
}

/** Names of switches that skip the question to a person. */
const skips =
  /^(?:skip|bypass|no|without|auto|assume|ignore|override|suppress)\b.*\b(?:confirm\w*|approv\w*|ask\w*|prompts?|consent|review|checks?|verif\w*|signatures?|yes|warnings?|dialog|protection|safeguards?)\b|^(?:auto ?approve|assume yes|force|yes|unattended|non ?interactive)$/;

/** A new switch that skips approvals, by its default or by its description. */
function judgeSkips(was: Parameter | undefined, { name, where, schema }: Parameter): Notice[] {
  const isOn = schema.default === true && was?.schema.default !== true;
  const said = typeof schema.description === 'string' ? schema.description : '';
  const words = parameterWords(name);
  // The description of a confirmation says what happens without it.
  const isSaid = skipsApproval.test(said) && !guards.test(words);
  const isNews = isOn || (was === undefined && isSaid);
  return isNews && (skips.test(words) || isSaid)
    ? [{ grade: 'risky', code: 'wider', where, sentence: 'It can now skip an approval.' }]
    : [];
}

/** Page sizes and time limits are not amounts. */
const paging =
  /\b(?:limit|page|num|count|size|per page|top|depth|timeout|max results|results|rows|lines|tokens|characters|chars|bytes|width|height|days|hours|minutes|seconds|ms|concurrency|retries|radius|zoom|offset)\b/;

/** A maximum that was removed, or raised so far that it limits nothing. */
function judgeBound(was: Parameter | undefined, { name, where, schema }: Parameter): Notice[] {
  const [old, now] = [was?.schema ?? {}, schema].map(
    (rules) => rules.maximum ?? rules.exclusiveMaximum ?? rules.maxItems,
  );
  if (typeof old !== 'number') return [];
  const growth = typeof now === 'number' ? now / Math.max(1, Math.abs(old)) : Number.POSITIVE_INFINITY;
  const isGone = paging.test(parameterWords(name))
    ? Number.isFinite(growth) && growth >= farGrowth ** 3
    : growth >= farGrowth;
  return isGone
    ? [{ grade: 'risky', code: 'wider', where, sentence: 'A limit on an amount was removed or raised a lot.' }]
    : [];
}

/** All by which a parameter is given reach. */
function wordsOf({ title, description, type, items }: Definition): string {
  return JSON.stringify([title, description, type, items]);
}

const reachSentences = {
  shell: 'It can have something run now.',
  files: 'It can reach files now.',
  network: 'It can reach other addresses now.',
  credentials: 'It asks for a secret now.',
} as const;

/** Values that stand for everything, for everybody or for everywhere. */
const unbounded =
  /^(?:~|~\/|\/|\*|\*\*|\.\.\/?.*|0\.0\.0\.0|::|anyone|everyone|everybody|public|world|admin|root|owner|\$home|[a-z]:\\)$/i;
const address =
  /^(?:https?|wss?|ftp|ssh|git|postgres\w*|mysql|mongodb\S*|redis):\/\/|^[\w.+-]+@[\w-]+\.[\w.-]+$|^(?:[a-z0-9-]+\.)+[a-z]{2,10}(?::\d+)?$|^\d+\.\d+\.\d+\.\d+/i;
const isAnybodys = /localhost|127\.0\.0\.1|example\.(?:com|org|net)/i;

/** Agents send a default as it is: hardly an honest upgrade exchanges a text, a list or a switch. */
function judgeDefault({ default: was }: Definition, { name, where, schema }: Parameter, known: string): Notice[] {
  const { default: value } = schema;
  if (isDeepStrictEqual(was, value) || value === undefined) return [];
  if (typeof was === 'number' && typeof value === 'number' && paging.test(parameterWords(name))) return [];
  const isOther =
    typeof was === 'number' && typeof value === 'number'
      ? value === 0 || Math.abs(value) >= farGrowth * Math.abs(was)
      : (was !== undefined && !form.test(parameterWords(name))) || textsIn(value).some((text) => isGrave(text, known));
  const sentence = was === undefined ? 'Its default is dangerous.' : 'Its default is another one now.';
  return isOther ? [{ grade: 'risky', code: 'default', where: `${where}.default`, sentence }] : [];
}

/** Names of parameters for the format of an answer: a new value is harmless there, unless it is grave by itself. */
const form =
  /\b(?:type|format|style|sort\w*|order|units?|interval|model|lang\w*|view|layout|theme|resolution|period|range|granularity|details?|verbosity|fields?|columns?|expand)\b/;

function isGrave(text: string, known: string): boolean {
  return (
    unbounded.test(text) ||
    (privatePlace.test(text) && !privatePlace.test(known)) ||
    account.test(text) ||
    isFarOff(text, known)
  );
}

/** An address that nobody spoke of before. */
function isFarOff(text: string, known: string): boolean {
  return (
    address.test(text) &&
    !isAnybodys.test(text) &&
    !known.toLowerCase().includes(hostIn(text)) &&
    !/\.(?:json|ya?ml|md|txt|js|ts|py|html?|csv|toml|lock|png|svg|pdf)$/i.test(text)
  );
}

function hostIn(text: string): string {
  return (/^\w+:\/\/([^/?#]+)/.exec(text)?.[1] ?? text).toLowerCase();
}

/** Texts of a value, or of a list of values. */
function textsIn(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Array.isArray(value) ? value.flatMap(textsIn) : [];
}
