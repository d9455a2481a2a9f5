/** A tool's definition as people read it. All of it was written by a server, so all of it is cleaned. */

import { minuteOf } from '../../base/amounts.ts';
import { isObject } from '../../base/json.ts';
import { givenText, printable, printableLines, typeInWords } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';

type Described = Readonly<Record<string, unknown>>;

export function renderBrief(tool: Described, style: Style): string {
  const parameters = printable(String(tool.parameters ?? ''));
  return [
    `${style.strong(visibleLine(String(tool.toolKey)))}  ${printable(givenText(tool.description))}`.trimEnd(),
    `  takes: ${parameters || 'no parameters'}`,
  ].join('\n');
}

export function renderTool(tool: Described, style: Style): string {
  const definition = isObject(tool.definition) ? tool.definition : {};
  const title = typeof definition.title === 'string' ? `  ${printable(definition.title)}` : '';
  const description = typeof definition.description === 'string' ? printableLines(definition.description).trim() : '';
  const parts = [
    `${style.strong(visibleLine(String(tool.toolKey)))}${title}`,
    description,
    ...quoted('Example', tool.example),
    ...quoted('In the words of its server', tool.canonicalDescription),
    renderParameters(definition.inputSchema, style),
    renderFacts(tool, definition, style),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A promoted description stands above; the server's own is shown beside it. */
function quoted(about: string, text: unknown): string[] {
  return typeof text === 'string' && text.trim() !== '' ? [`${about}: ${printableLines(text).trim()}`] : [];
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

function renderParameters(schema: unknown, style: Style): string {
  const parameters = parametersOf(schema);
  if (parameters.length === 0) return 'It takes no parameters.';
  return table(
    parameters,
    [
      { title: 'PARAMETER', cell: (row) => `${row.name}${row.isRequired ? '' : '?'}` },
      { title: 'TYPE', cell: (row) => row.type },
      { title: 'MEANING', cell: (row) => row.text, isProse: true },
    ],
    { style },
  );
}

function parametersOf(schema: unknown): Parameter[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties)
    .map(([name, property]) => ({
      name,
      type: typeInWords(property),
      isRequired: required.includes(name),
      text: textOf(property),
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function textOf(property: unknown): string {
  if (!isObject(property)) return '';
  const text = typeof property.description === 'string' ? property.description.trim() : '';
  const standard = property.default === undefined ? '' : `default: ${JSON.stringify(property.default)}`;
  if (standard === '') return text;
  return text === '' ? standard : `${text} (${standard})`;
}

const hints: readonly (readonly [key: string, whenTrue: string, whenFalse: string])[] = [
  ['readOnlyHint', 'reads only', ''],
  ['destructiveHint', 'may destroy', ''],
  ['idempotentHint', 'may be repeated', ''],
  ['openWorldHint', 'reaches outside', 'stays inside'],
];

/** The last change by its server. */
const changeWords: Readonly<Record<string, string>> = { added: 'added', updated: 'last changed', removed: 'removed' };

function renderFacts(tool: Described, definition: Record<string, unknown>, style: Style): string {
  const annotations = isObject(definition.annotations) ? definition.annotations : {};
  const claims = hints
    .map(([key, whenTrue, whenFalse]) =>
      annotations[key] === true ? whenTrue : annotations[key] === false ? whenFalse : '',
    )
    .filter((claim) => claim !== '');
  const facts = [`category: ${printable(String(tool.category ?? ''))}`];
  if (claims.length > 0) facts.push(`the server says: ${claims.join(', ')}`);
  const { lastChange } = tool;
  if (isObject(lastChange)) facts.push(`${changeWords[String(lastChange.change)]} ${minuteOf(String(lastChange.at))}`);
  return style.faint(facts.join('; '));
}
