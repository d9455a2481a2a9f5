/** What is added behind the statements of a program so that it gives what was meant. */

import { entryNames } from '../guest-prelude/finish.ts';
import type { Outline } from './outline.ts';
import { mistakeIn } from './parse-code.ts';

export interface Ending {
  readonly added: string;
  /** Why the result is what it is. */
  readonly resultNote?: string;
}

const resultName = /(?<![\w$.])(?:const|let|var)\s+(results?|output|out|answer|summary|report)\s*=/g;

/** What a loop fills. */
const collection =
  /(?<![\w$.])(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:\[\s*\]|\{\s*\}|new (?:Map|Set)\(\s*\))\s*(?:;|\n)/g;

/** A function that nobody calls is given, and so called; a last declaration gives its value; a loop gives no accidental one. */
export function ending(code: string, outline: Outline): Ending {
  const entry = uncalledFunction(outline);
  if (entry !== undefined) return { added: `\n;${entry}` };
  const declared = lastDeclared(code, outline);
  if (declared !== undefined && outline.functions.includes(declared)) return { added: `\n;${declared}` };
  if (declared !== undefined) return given(declared, 'its declaration is the end of the program');
  const { squeezed } = outline;
  const changed = lastChanged(squeezed);
  if (changed !== undefined) return given(changed, 'the program ends with a change of it');
  if (!endsInLoop(outline)) return { added: '' };
  const named = ([...squeezed.matchAll(resultName)].at(-1) ?? [...squeezed.matchAll(collection)].at(-1))?.[1];
  // The value of a loop is that of its last statement, such as the new length of a list: never what was meant.
  return named === undefined ? { added: '\n;undefined' } : given(named, 'the program ends with a loop');
}

function given(name: string, why: string): Ending {
  return {
    added: `\n;${name}`,
    resultNote: `The result is \`${name}\`, because ${why}; \`return ${name}\` would say so.`,
  };
}

function uncalledFunction({ functions, masked, squeezed }: Outline): string | undefined {
  if (functions.length === 0) return undefined;
  const mentions = countWords(masked);
  const uncalled = functions.filter((name) => mentions.get(name) === 1);
  const entry = entryNames().find((name) => uncalled.includes(name));
  if (entry !== undefined) return entry;
  // Only where nothing else is done: brackets at the top that are not those of the functions are calls.
  const rest = squeezed.replace(/(?:async\s*)?(?:function\s*\*?\s*[\w$]*\s*)?\(\s*\)\s*(?:=>\s*)?\{\s*\}/g, '');
  return uncalled.length === 1 && !/[(`]|(?<![\w$])await(?![\w$])/.test(rest) ? uncalled[0] : undefined;
}

function countWords(masked: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of masked.matchAll(/[A-Za-z_$][\w$]*/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The name that the last statement declares, where it declares one. */
function lastDeclared(code: string, { top }: Outline): string | undefined {
  const last = [...top.matchAll(/(?<![\w$.])(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=(?!=)/g)].at(-1);
  if (last === undefined) return undefined;
  const start = last.index + last[0].length;
  // Whatever follows the value would make it no expression.
  if (mistakeIn(`return (\n${trimmedEnd(code.slice(start))}\n)`) !== undefined) return undefined;
  const further = [...top.slice(start).matchAll(/,\s*([A-Za-z_$][\w$]*)\s*=(?!=)/g)].at(-1);
  return further?.[1] ?? last[1];
}

/** A list or an object of the program that its last statement puts something into: what that gives by itself is never meant. */
const change =
  /(?:^|[;}\n])\s*([A-Za-z_$][\w$]*)(?:\.[\w$]+|\[\s*\])*(?:\.(?:push|unshift|add|set|splice|fill)\(\s*\)|(?:\.[\w$]+|\[\s*\])\s*[-+*/|&?]{0,2}=(?![=>])(?:[^;\n([{]|[([{]\s*[)\]}])*);?\s*$/;

function lastChanged(squeezed: string): string | undefined {
  const name = change.exec(squeezed.trimEnd())?.[1];
  const isOwn =
    name !== undefined &&
    new RegExp(`(?<![\\w$.])(?:const|let|var)\\s+${name.replaceAll('$', '\\$')}\\s*=`).test(squeezed);
  return isOwn ? name : undefined;
}

/** Without spaces and semicolons at its end. */
export function trimmedEnd(code: string): string {
  let end = code.length;
  while (end > 0 && /[\s;]/.test(code[end - 1] ?? '')) end -= 1;
  return code.slice(0, end);
}

function endsInLoop({ squeezed }: Outline): boolean {
  return /(?:^|[;}\n])\s*(?:for(?:\s+await)?|while)\s*\(\s*\)(?:\s*\{\s*\}| ?[^;{}\s][^;{}\n]*)\s*;?\s*$/.test(
    squeezed,
  );
}
