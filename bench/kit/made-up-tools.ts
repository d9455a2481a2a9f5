/** Thirty servers as a person might have connected them, with made-up tools whose texts are about as long as those of real ones. */

import { createHash } from 'node:crypto';
import { machineServers } from './made-up-machine-servers.ts';
import { officeServers } from './made-up-office-servers.ts';

export interface MadeUpServer {
  readonly title: string;
  /** The subject of its tools, in the singular. */
  readonly about: string;
  /**
   * One line is one tool: `name(parameters) description`. A parameter with `?` may be left out; `#` is a number, `~` yes or no,
   * `[]` a list of texts, `{}` an object, `=a|b` a choice; all others are texts.
   */
  readonly lines: string;
}

export interface MadeUpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export interface MadeUpCatalog {
  readonly title: string;
  readonly tools: readonly MadeUpTool[];
}

/** Further sentences of a description; real ones have any number of them. */
const remarks: readonly string[] = [
  'Gives a list of objects with id, name, link and the times of creation and of the last change.',
  'Needs the right to write; without it the call is refused and nothing is changed.',
  'Use it after a search, with the id that the search has given: ids of other accounts are not found.',
  'Answers come in pages. Ask for the next one with the cursor of the last answer, until there is none.\n\nNotes:\n- Times are in UTC, written as 2026-03-01T12:00:00Z.\n- A limit above 100 is taken as 100.\n- What was deleted is left out.',
  'Examples: {"limit": 10} gives the ten newest; {"query": "report"} gives those with this word in the title or the text.',
  'When something is already there under this name, nothing is replaced and the answer says so. Do NOT call it in a loop: one call does all.',
];

const madeUpServers = { ...machineServers, ...officeServers };

const plainKinds: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '#': { type: 'number' },
  '~': { type: 'boolean' },
  '[]': { type: 'array', items: { type: 'string' } },
  '{}': { type: 'object', additionalProperties: true },
  '': { type: 'string' },
};

/** All by name. */
export function madeUpCatalogs(): Map<string, MadeUpCatalog> {
  return new Map(Object.entries(madeUpServers).map(([name, server]) => [name, catalogOf(name, server)]));
}

function catalogOf(name: string, server: MadeUpServer): MadeUpCatalog {
  const lines = server.lines.trim().split('\n');
  return { title: server.title, tools: lines.map((line) => toolOf(line, server.about, name)) };
}

function toolOf(line: string, about: string, server: string): MadeUpTool {
  const [, name = '', parameters = '', sentence = ''] = /^(\w+)\((.*?)\) (.+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`The line "${line}" of ${server} is no tool.`);
  const read = parameters.split(', ').filter(Boolean).map(readParameter);
  const chance = numberFrom(`${server}:${name}`);
  const isReading = /^(?:get|list|read|search|find|query|fetch|describe)/.test(name);
  return {
    name,
    description: [sentence, ...remarks.filter((_, at) => (chance >> (2 * at)) % 4 === 0)].join(' '),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(read.map((one) => [one.name, { ...one.schema, description: say(one, about) }])),
      required: read.filter((one) => !one.isOptional).map((one) => one.name),
      ...(chance % 3 === 0 ? { additionalProperties: false, $schema: 'http://json-schema.org/draft-07/schema#' } : {}),
    },
    ...(chance % 2 === 0 ? { annotations: { title: titleOf(name), readOnlyHint: isReading } } : {}),
  };
}

interface Parameter {
  readonly name: string;
  readonly isOptional: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

function readParameter(text: string): Parameter {
  const [, name = '', mark = '', kind = ''] = /^(\w+)(\??)(.*)$/.exec(text) ?? [];
  const schema = kind.startsWith('=') ? { type: 'string', enum: kind.slice(1).split('|') } : plainKinds[kind];
  if (schema === undefined) throw new Error(`"${text}" is no parameter.`);
  return { name, isOptional: mark === '?', schema };
}

function say({ name, isOptional }: Parameter, about: string): string {
  const words = name.replaceAll('_', ' ');
  const ways = [
    `The ${words} of the ${about}.`,
    `${titleOf(name)} to use for the ${about}, as it is shown in the settings of the account.`,
    `${titleOf(name)}.`,
    `Which ${words} is meant.${isOptional ? ' Left out, the default of the account applies.' : ''}`,
  ];
  return ways[numberFrom(name + about) % ways.length] ?? '';
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The same for the same text, on every machine. */
function numberFrom(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
}
