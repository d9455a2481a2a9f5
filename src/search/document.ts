/** A tool as search knows it: plain texts from its MCP definition, each cut at a limit. */

import { isObject } from '../base/json.ts';

export interface SearchParameter {
  readonly name: string;
  /** Its description, followed by the values it may take. */
  readonly description: string;
}

export interface SearchDocument {
  /** The tool's address, `server:tool`. */
  readonly key: string;
  readonly server: string;
  /** The server's title, description and instructions. */
  readonly serverText: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: readonly SearchParameter[];
}

/** Real definitions stay far below these; a hostile one must not fill the index. */
const limits = {
  name: 256,
  serverText: 1_000,
  description: 8_000,
  parameterDescription: 1_000,
  parameters: 64,
  choices: 64,
};

/** Reads a tool definition as a server gave it. Whatever is missing or of the wrong type counts as empty; undefined when there is no name. */
export function documentFromTool(server: string, serverText: string, definition: unknown): SearchDocument | undefined {
  if (!isObject(definition)) return undefined;
  const { name } = definition;
  if (typeof name !== 'string' || name === '') return undefined;
  const annotations = isObject(definition.annotations) ? definition.annotations : {};
  const title = textOf(definition.title, limits.name) || textOf(annotations.title, limits.name);
  const parameters = parametersOf(definition.inputSchema);
  return {
    key: `${server}:${name}`,
    server,
    serverText: serverText.slice(0, limits.serverText),
    name: name.slice(0, limits.name),
    ...(title === '' ? {} : { title }),
    description: aboutItself(textOf(definition.description, limits.description), parameters),
    parameters,
  };
}

/** "Do NOT use for past days (use history)", "use history instead". */
const refuses =
  /^\W*(?:(?:do\s+not|don['’]t|never)\s+use|not\s+(?:for|meant|intended|suitable))\b|\buse\s+(?!it\b|this\b)\S+\s+instead\b/i;

/** "To change those, use write_cells." Each repetition is bounded, so that no text takes long to read. */
const endsWithTool = /\buse\s{1,4}[`"']?(?=\w{0,64}_)(\w{3,128})\W{0,4}$/i;

/** Such a tool is ranked lower, so its word must stay. */
const givesUp = /\b(?:deprecated|obsolete)\b/i;

/** Without clauses about other tools, which would lead those who need them here. All of it, where nothing else is said. */
function aboutItself(description: string, parameters: readonly SearchParameter[]): string {
  const clauses = description.split(/(?<=[.!?;])\s+|\n+/);
  const own = clauses.filter((clause) => !sendsElsewhere(clause, parameters) || givesUp.test(clause));
  const isWhole = own.length === clauses.length || own.every((clause) => clause.trim() === '');
  return isWhole ? description : own.join(' ');
}

/** A parameter at the end of a clause is the tool's own. */
function sendsElsewhere(clause: string, parameters: readonly SearchParameter[]): boolean {
  if (refuses.test(clause)) return true;
  const [, named] = endsWithTool.exec(clause) ?? [];
  return named !== undefined && !parameters.some(({ name }) => name === named);
}

/** The schema's parameters, then those one level below them (members of an object or of an array's items). */
function parametersOf(schema: unknown): SearchParameter[] {
  const members = propertiesOf(schema);
  const below = members.flatMap(([, inner]) => [
    ...propertiesOf(inner),
    ...propertiesOf(isObject(inner) ? inner.items : undefined),
  ]);
  return [...members, ...below].slice(0, limits.parameters).map(([name, inner]) => parameterFrom(name, inner));
}

function parameterFrom(name: string, schema: unknown): SearchParameter {
  const texts = isObject(schema) ? [schema.description, ...choicesOf(schema)] : [];
  const description = texts.filter((text) => typeof text === 'string').join(' ');
  return { name: name.slice(0, limits.name), description: description.slice(0, limits.parameterDescription) };
}

/** The values a parameter may take: they often name what the tool is about (`celsius`, `draft`). */
function choicesOf(schema: Record<string, unknown>): unknown[] {
  const choices = schema.enum;
  return Array.isArray(choices) ? choices.slice(0, limits.choices) : [];
}

function propertiesOf(schema: unknown): [string, unknown][] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).slice(0, limits.parameters);
}

function textOf(value: unknown, limit: number): string {
  return typeof value === 'string' ? value.slice(0, limit) : '';
}
