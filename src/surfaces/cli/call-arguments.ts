/** The arguments of a call as they are typed: JSON, pairs, or files that hold them. */

import type { InputOf } from '../../admin/admin.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { CommandContext } from './context.ts';
import { parseWrittenJson, readTextFile } from './read-file.ts';

type Given = Pick<InputOf<'tools.call'>, 'arguments' | 'pairs'>;

/** One JSON object, `@FILE` or `-` with one, or pairs, which are read where the schema of the tool is. Throws USAGE. */
export async function readCallArguments(words: readonly string[], context: CommandContext): Promise<Given> {
  const [first, second] = words;
  if (first === undefined) return {};
  const isJson = first.trimStart().startsWith('{');
  if (!isJson && first !== '-' && !first.startsWith('@')) {
    const pairs: string[] = [];
    for (const word of words) pairs.push(await readPair(word, context));
    return { pairs };
  }
  if (second !== undefined) throw new GatewayError('USAGE', 'Give one JSON object or key=value pairs, not both.');
  if (isJson) return { arguments: await readObject('arguments', first) };
  const file = first === '-' ? first : first.slice(1);
  return { arguments: await readObject(file === '-' ? 'stdin' : file, await readTextFile(file, context)) };
}

/** `key=@FILE` takes the text of the file, `key=@-` that of stdin; `key=@@text` stands for `@text`. */
async function readPair(word: string, context: CommandContext): Promise<string> {
  const [, start, value] = /^([^=]+=)@(.*)$/s.exec(word) ?? [];
  if (start === undefined || value === undefined) return word;
  if (value.startsWith('@')) return `${start}${value}`;
  try {
    return `${start}${await readTextFile(value, context)}`;
  } catch (error) {
    throw new GatewayError('USAGE', messageOf(error), {
      hint: `A value after "=@" is the name of a file. For a text that begins with "@", write ${start}@@${value}`,
      cause: error,
    });
  }
}

async function readObject(name: string, text: string): Promise<Record<string, unknown>> {
  try {
    const value = await parseWrittenJson(name, text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new GatewayError('USAGE', `The arguments are not valid JSON. ${messageOf(error)}`, {
      hint: name === 'arguments' ? `Put single quotes around it: '{"key":"value"}'` : undefined,
      cause: error,
    });
  }
  throw new GatewayError('USAGE', 'The arguments must be a JSON object.', { hint: `For example: '{"key":"value"}'` });
}
