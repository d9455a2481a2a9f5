/** Judges a change of what a tool takes: parameters that give it new reach, values that are filled in, limits that are gone. */

import { isDeepStrictEqual } from 'node:util';
import { deedsNamed } from './deeds.ts';
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
  return [...notices, ...judgeValues(was?.schema ?? {}, is, known)];
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

/** Switches that are dangerous when they are on, and those that are when they are off. */
const dangerous =
  /^(?:(?:force|overwrite|recursive|delete|remove|purge|public|everyone|unsafe|insecure|bypass|skip|allow|auto|include|send|share|publish|yes|no verify)\b.*|hard|all|sudo|.*\b(?:delete|force|overwrite|unsafe|public))$/;
const protective =
  /^(?:(?:dry ?run|preview|confirm\w*|safe|sandbox\w*|verify|validate|check|read ?only|backup|ask|private|mask|redact|require)\b.*|.*\b(?:dry run|only|verify|confirm|sandbox|ssl|tls))$/;
const asksFirst = /^(?:ask|confirm|prompt|manual|always|review)$/i;
const asksNobody = /^(?:auto\w*|never|none|allow|skip|off|silent)$/i;
/** Values that stand for everything, for everybody or for everywhere. */
const unbounded =
  /^(?:~|~\/|\/|\*|\*\*|\.\.\/?.*|0\.0\.0\.0|::|anyone|everyone|everybody|public|world|all|any|admin|root|owner|\$home|[a-z]:\\)$/i;
const mighty = /^(?:exec\w*|eval\w*|shell|sudo|delete\w*|remove\w*|drop\w*|destroy\w*|purge\w*|wipe\w*|truncate\w*)$/i;
const address =
  /^(?:https?|wss?|ftp|ssh|git|postgres\w*|mysql|mongodb\S*|redis):\/\/|^[\w.+-]+@[\w-]+\.[\w.-]+$|^(?:[a-z0-9-]+\.)+[a-z]{2,10}(?::\d+)?$|^\d+\.\d+\.\d+\.\d+/i;
const isAnybodys = /localhost|127\.0\.0\.1|example\.(?:com|org|net)/i;
const privateWord = /\b(?:ssn|passwords?|secrets?|tokens?|credentials?|card|diagnosis|salary|full ?name|private key)\b/;

function judgeValues(old: Definition, { where, name, schema }: Parameter, known: string): Notice[] {
  const found = (member: string, sentence: string): Notice => ({
    grade: 'risky',
    code: 'default',
    where: `${where}.${member}`,
    sentence,
  });
  const words = parameterWords(name);
  const { default: value } = schema;
  if (!isDeepStrictEqual(old.default, value)) {
    if (value === true && dangerous.test(words) && old.default !== undefined)
      return [found('default', 'It is now on by default.')];
    if (value === false && protective.test(words) && old.default === true)
      return [found('default', 'It is now off by default.')];
    if (asksFirst.test(String(old.default)) && asksNobody.test(String(value)))
      return [found('default', 'By default it asks nobody now.')];
    if (freshTexts(old.default, value).some((text) => isGrave(text, words, known)))
      return [found('default', 'Its default is now dangerous.')];
  }
  const named = deedsNamed(known);
  const choices = old.enum === undefined ? [] : freshTexts(old.enum, schema.enum);
  if (choices.some((text) => (mighty.test(text) && !named.has('destroys')) || isFarOff(text, known)))
    return [found('enum', 'A new allowed value can do more than the old ones.')];
  const samples = freshTexts([old.examples, old.example], [schema.examples, schema.example]);
  return samples.some((text) => privatePlace.test(text) && !privatePlace.test(known))
    ? [found('examples', 'It names a private place now.')]
    : [];
}

function isGrave(text: string, name: string, known: string): boolean {
  return (
    (unbounded.test(text) &&
      !(text === 'all' || text === 'any'
        ? /limit|type|status|filter|state|kind|sort|format|level|category|mode/.test(name)
        : false)) ||
    (privatePlace.test(text) && !privatePlace.test(known)) ||
    privateWord.test(parameterWords(text)) ||
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

/** Texts of a value, or of a list of values, that were not there. */
function freshTexts(before: unknown, after: unknown): string[] {
  const texts = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Array.isArray(value) ? value.flatMap(texts) : [];
  const was = new Set(texts(before));
  return texts(after).filter((text) => !was.has(text));
}
