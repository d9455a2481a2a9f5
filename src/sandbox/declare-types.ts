/** Compact TypeScript declarations of tools, made from their JSON Schemas: what a program needs to know to call them. */

import { isObject } from '../base/json.ts';
import { firstSentence } from '../base/text.ts';
import { parametersOf, typeOfSchema } from './declare-types-schema.ts';
import { commented, nameOf } from './declare-types-text.ts';

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

/** Definitions do not change; a server that lists anew gives new ones. */
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
  const servers = [...byServer].map(([server, lines]) => `  ${nameOf(server)}: {\n${lines.join('\n')}\n  };`);
  const more = left === 0 ? [] : [`  // ${left} more tools: ask for fewer servers, or for single tools.`];
  return ['declare const servers: {', ...servers, ...more, '};'].join('\n');
}

function declared({ name, definition }: DeclaredTool): string {
  let parts = known.get(definition);
  if (parts === undefined) {
    parts = { head: sentenceOf(definition), tail: signatureOf(definition) };
    known.set(definition, parts);
  }
  return `${parts.head}    ${nameOf(name)}${parts.tail};`;
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
