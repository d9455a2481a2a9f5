/** Compact TypeScript declarations of tools, made from their JSON Schemas, for programs that call them. */

import { isObject } from '../base/json.ts';
import { cutAtWord, firstSentence, printable } from '../base/text.ts';

export interface DeclaredTool {
  readonly server: string;
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** The longest declaration of one tool; a larger one is written with less detail. */
const longestTool = 4_000;
/** The longest declarations altogether; tools beyond are counted. */
const longestText = 256 * 1_024;
const longestSentence = 140;
/** Tried from the most detail to the least. */
const depths = [8, 5, 3, 2, 1];

/** Definitions do not change; a server that is listed again gives new ones. */
const known = new WeakMap<object, { readonly head: string; readonly tail: string }>();

export function declareTypes(tools: readonly DeclaredTool[]): string {
  const byServer = new Map<string, string[]>();
  let chars = 0;
  let left = 0;
  for (const tool of tools) {
    const text = chars > longestText ? '' : declared(tool);
    chars += text.length;
    if (chars > longestText) left += 1;
    else if (!byServer.get(tool.server)?.push(text)) byServer.set(tool.server, [text]);
  }
  const servers = [...byServer].map(([server, lines]) => `  ${propertyName(server)}: {\n${lines.join('\n')}\n  };`);
  const more = left === 0 ? [] : [`  // ${left} more tools: ask for fewer servers, or for single tools.`];
  return ['declare const servers: {', ...servers, ...more, '};'].join('\n');
}

function declared({ name, definition }: DeclaredTool): string {
  let parts = known.get(definition);
  if (parts === undefined) {
    parts = { head: sentenceOf(definition), tail: signatureOf(definition) };
    known.set(definition, parts);
  }
  return `${parts.head}    ${propertyName(name)}${parts.tail};`;
}

function sentenceOf({ description }: DeclaredTool['definition']): string {
  const sentence =
    typeof description === 'string' ? commented(firstSentence(description.slice(0, 2_000), longestSentence)) : '';
  return sentence === '' ? '' : `    /** ${sentence} */\n`;
}

function signatureOf(definition: DeclaredTool['definition']): string {
  let shortest = '(args?: object): Promise<unknown>';
  for (const depth of depths) {
    shortest = signatureAt(definition, depth);
    if (shortest.length <= longestTool) return shortest;
  }
  return shortest.length <= 4 * longestTool ? shortest : '(args?: object): Promise<unknown>';
}

function signatureAt({ inputSchema, outputSchema }: DeclaredTool['definition'], depth: number): string {
  const { text, isNeeded } = parametersOf(isObject(inputSchema) ? inputSchema : {}, depth);
  const result = isObject(outputSchema) ? typeOfSchema(outputSchema, depth) : 'unknown';
  return `(${text === '' ? '' : `args${isNeeded ? '' : '?'}: ${text}`}): Promise<${result}>`;
}

type Schema = Readonly<Record<string, unknown>>;

/** Schemas that are looked at for one type. */
const mostSteps = 1_500;
const mostMembers = 60;
const mostChoices = 24;
const mostForms = 8;
const longestLiteral = 80;
const longestName = 120;
/** Ranges that nobody leaves by accident are left out. */
const widestRange = 100_000;

interface Walk {
  readonly root: Schema;
  /** True for arguments, which must be right; a result can be looked at. */
  readonly isExplained: boolean;
  left: number;
  /** References that are being followed. */
  readonly following: Set<unknown>;
}

function typeOfSchema(schema: Schema, depth: number): string {
  return typeOf(schema, { root: schema, isExplained: false, left: mostSteps, following: new Set() }, depth);
}

/** The type of a tool's arguments; empty where it takes none, and whether any of them is needed. */
function parametersOf(schema: Schema, depth: number): { readonly text: string; readonly isNeeded: boolean } {
  const walk: Walk = { root: schema, isExplained: true, left: mostSteps, following: new Set() };
  const whole = merged(schema, walk, 4);
  const isEmpty = Object.keys(whole.properties).length === 0 && whole.forms === undefined;
  if (isEmpty && !isObject(whole.rest) && whole.rest !== true) return { text: '', isNeeded: false };
  return { text: objectOf(whole, walk, depth), isNeeded: whole.required.size > 0 || whole.forms !== undefined };
}

function typeOf(schema: unknown, walk: Walk, depth: number): string {
  walk.left -= 1;
  if (schema === false) return 'never';
  if (!isObject(schema) || walk.left < 0) return 'unknown';
  if (schema.const !== undefined) return literal(schema.const) ?? 'unknown';
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return choicesOf(schema.enum);
  if (depth <= 0) return shallow(schema);
  if (typeof schema.$ref === 'string') return followed(schema, walk, depth);
  const type = kindsOf(schema, walk, depth);
  return schema.nullable === true && !/\bnull\b/.test(type) ? `${type} | null` : type;
}

function kindsOf(schema: Schema, walk: Walk, depth: number): string {
  const { type, anyOf, oneOf, allOf } = schema;
  if (Array.isArray(type)) return union(type.slice(0, 7).map((one) => kindOf({ ...schema, type: one }, walk, depth)));
  const forms = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  const isObjectLike = type === 'object' || isObject(schema.properties);
  if (forms !== undefined && !isObjectLike) {
    const shown = forms.slice(0, mostForms).map((form) => typeOf(form, walk, depth - 1));
    return union(forms.length > mostForms ? [...shown, 'unknown'] : shown);
  }
  if (Array.isArray(allOf) && !isObjectLike && type === undefined) {
    const parts = allOf.slice(0, mostForms);
    if (!parts.some((part) => isObjectSchema(part, walk)))
      return intersection(parts.map((part) => typeOf(part, walk, depth - 1)));
    return objectOf(merged(schema, walk, 4), walk, depth);
  }
  return kindOf(schema, walk, depth);
}

function kindOf(schema: Schema, walk: Walk, depth: number): string {
  const { type } = schema;
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array' || (type === undefined && (schema.items !== undefined || schema.prefixItems !== undefined)))
    return listOf(schema, walk, depth);
  const isObjectLike = type === 'object' || isObject(schema.properties) || isObject(schema.additionalProperties);
  return isObjectLike ? objectOf(merged(schema, walk, 4), walk, depth) : 'unknown';
}

/** The type of a value without room for its inside. */
function shallow(schema: Schema): string {
  const { type } = schema;
  if (type === 'array') return 'unknown[]';
  if (type === 'integer') return 'number';
  return typeof type === 'string' && /^(?:string|number|boolean|null|object)$/.test(type) ? type : 'unknown';
}

function listOf(schema: Schema, walk: Walk, depth: number): string {
  const { prefixItems, items, additionalItems } = schema;
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (first === undefined) {
    const item = items === undefined ? 'unknown' : typeOf(items, walk, depth - 1);
    return /[|&]/.test(item) && !/^[{[]/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  const rest = Array.isArray(prefixItems) ? items : additionalItems;
  const shown = first.slice(0, mostForms).map((one) => typeOf(one, walk, depth - 1));
  if (first.length > mostForms || rest !== false)
    shown.push(`...${isObject(rest) ? `(${typeOf(rest, walk, depth - 1)})` : 'unknown'}[]`);
  return `[${shown.join(', ')}]`;
}

/** An object with everything that `allOf` and references bring to it. */
interface WholeObject {
  readonly properties: Record<string, unknown>;
  readonly required: Set<unknown>;
  rest: unknown;
  /** Forms of which it also has one. */
  forms: readonly unknown[] | undefined;
}

function merged(schema: unknown, walk: Walk, depth: number): WholeObject {
  const whole: WholeObject = {
    properties: Object.create(null),
    required: new Set(),
    rest: undefined,
    forms: undefined,
  };
  const add = (part: unknown, level: number): void => {
    walk.left -= 1;
    if (!isObject(part) || level < 0 || walk.left < 0) return;
    if (typeof part.$ref === 'string') add(targetOf(part.$ref, walk), level - 1);
    if (Array.isArray(part.allOf)) for (const one of part.allOf.slice(0, mostForms)) add(one, level - 1);
    if (isObject(part.properties)) Object.assign(whole.properties, part.properties);
    if (Array.isArray(part.required)) for (const name of part.required.slice(0, 1_000)) whole.required.add(name);
    const patterns = isObject(part.patternProperties) ? Object.values(part.patternProperties)[0] : undefined;
    whole.rest = part.additionalProperties || patterns || whole.rest;
    const forms = Array.isArray(part.anyOf) ? part.anyOf : part.oneOf;
    if (Array.isArray(forms)) whole.forms ??= forms;
  };
  add(schema, depth);
  return whole;
}

function objectOf({ properties, required, rest, forms }: WholeObject, walk: Walk, depth: number): string {
  const names = Object.keys(properties).filter((name) => name.length <= longestName);
  const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const members = ordered
    .slice(0, mostMembers)
    .map((name) => memberOf(name, properties[name], required.has(name), walk, depth));
  if (isObject(rest)) {
    const type = typeOf(rest, walk, depth - 1);
    if (members.length === 0 && forms === undefined) return `Record<string, ${type}>`;
    members.push(`[key: string]: ${type}`);
  }
  const more = ordered.length > mostMembers ? ` /* ${ordered.length - mostMembers} more */` : '';
  const own = members.length === 0 ? 'object' : `{ ${members.join('; ')}${more} }`;
  const isNarrowed = forms?.some((form) => isObject(form) && (isObject(form.properties) || form.$ref !== undefined));
  if (forms === undefined || !isNarrowed) return own;
  const either = union(forms.slice(0, mostForms).map((form) => typeOf(form, walk, depth - 1)));
  return own === 'object' ? either : `${own} & (${either})`;
}

function memberOf(name: string, schema: unknown, isRequired: boolean, walk: Walk, depth: number): string {
  const type = typeOf(schema, walk, depth - 1);
  const notes = isObject(schema) && walk.isExplained ? [noteOf(name, schema.description), ...boundsOf(schema)] : [];
  const note = notes.filter((one) => one !== '').join(', ');
  return `${propertyName(name)}${isRequired ? '' : '?'}: ${type}${note === '' ? '' : ` /* ${note} */`}`;
}

/** The formats and ranges that callers get wrong most easily. */
function boundsOf({ minimum, maximum, format, default: usual, description }: Schema): string[] {
  const bounds: string[] = [];
  const isNarrow = typeof minimum === 'number' && typeof maximum === 'number' && maximum - minimum < widestRange;
  if (isNarrow) bounds.push(`${minimum} to ${maximum}`);
  if (typeof format === 'string' && /^(?:date|time|date-time|duration|email|uri|uuid)$/.test(format))
    bounds.push(format);
  const isSaid = typeof description === 'string' && /default/i.test(description.slice(0, 500));
  if ((typeof usual === 'number' || typeof usual === 'boolean') && !isSaid) bounds.push(`default ${usual}`);
  return bounds;
}

function followed(schema: Schema, walk: Walk, depth: number): string {
  const target = targetOf(schema.$ref as string, walk);
  if (!isObject(target) || walk.following.has(target)) return 'unknown';
  walk.following.add(target);
  const type = typeOf(target, walk, depth - 1);
  walk.following.delete(target);
  return schema.nullable === true ? `${type} | null` : type;
}

/** Only what stands in the schema itself is followed. */
function targetOf(reference: string, { root }: Walk): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/') || reference.length > 500) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A percent sign that is only one.
    return part;
  }
}

function isObjectSchema(schema: unknown, walk: Walk): boolean {
  const target = isObject(schema) && typeof schema.$ref === 'string' ? targetOf(schema.$ref, walk) : schema;
  return isObject(target) && (target.type === 'object' || isObject(target.properties));
}

function choicesOf(choices: readonly unknown[]): string {
  const literals = choices.slice(0, mostChoices).map(literal);
  if (choices.length <= mostChoices && literals.every((one) => one !== undefined)) return union(literals as string[]);
  const kinds = new Set(choices.slice(0, 1_000).map((choice) => (choice === null ? 'null' : typeof choice)));
  const plain = [...kinds].every((kind) => /^(?:string|number|boolean|null)$/.test(kind));
  const shown = literals.filter((one) => one !== undefined && !one.includes('*/')).slice(0, 5);
  return plain ? `${union([...kinds])} /* ${shown.join(', ')}, … */` : 'unknown';
}

function literal(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  return typeof value === 'string' && value.length <= longestLiteral ? quoted(value) : undefined;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.includes('unknown') || distinct.length === 0 ? 'unknown' : distinct.join(' | ');
}

function intersection(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== 'unknown');
  return distinct.length === 0
    ? 'unknown'
    : distinct.map((type) => (type.includes('|') ? `(${type})` : type)).join(' & ');
}

const identifier = /^[A-Za-z_$][\w$]*$/;

function propertyName(name: string): string {
  return identifier.test(name) ? name : quoted(name);
}

/** A text as a literal, with everything that could deceive a reader written as an escape. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text for inside a comment. */
function commented(text: string): string {
  return printable(text)
    .replace(/\*(?=\/)/g, '* ')
    .replace(/\/(?=\*)/g, '/ ')
    .trim();
}

const longestNote = 70;
const emptyWords = new Set(
  'a an the of for to in on with and or is be this that it as by from you your id name'.split(' '),
);

/** The part of a description that says more than the name; empty if that is next to nothing. */
function noteOf(name: string, description: unknown): string {
  if (typeof description !== 'string') return '';
  const flat = commented(description.slice(0, 500).replace(/\s+/g, ' '));
  const sentence = /^.*?[.!?](?=\s|$)/.exec(flat)?.[0].replace(/\.$/, '') ?? flat;
  const own = new Set(wordsOf(name));
  const news = wordsOf(sentence).filter(
    (word) => !own.has(word) && !own.has(word.replace(/s$/, '')) && !emptyWords.has(word),
  );
  return news.length < 2 ? '' : cutAtWord(sentence, longestNote);
}

function wordsOf(text: string): string[] {
  const split = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return split.match(/[\p{L}\p{N}]+/gu) ?? [];
}
