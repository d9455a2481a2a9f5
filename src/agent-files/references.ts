/** References to variables as agents write them (`${env:X}`, `${input:x}`, `{env:X}`, `$X`), and the same in our form. */

import { isObject } from '../base/json.ts';
import { type AgentMachine, pathStyle } from './agent-machine.ts';

/** A value in our form, or why there is none. */
type Translated = { readonly text: string } | { readonly reason: string };

/** A way to refer to variables: what a reference looks like, and what each means. */
export interface Notation {
  /** Global; its one group is the inside of the reference. */
  readonly reference: RegExp;
  /** undefined: the text means itself. */
  translate(inside: string, machine: AgentMachine): Translated | undefined;
}

const variable = '[A-Za-z_][A-Za-z0-9_]*';
const named = new RegExp(`^(?:env:)?(${variable}(?::-.*)?)$`, 's');

/** `${X}` and `${X:-default}`, as in a shell and as we write them. */
function variableOf(inside: string): Translated | undefined {
  const name = named.exec(inside)?.[1];
  return name === undefined ? undefined : { text: `\${${name}}` };
}

/** A value that the agent asks a person for or keeps itself: here a secret, to be set once. */
function secretOf(name: string): Translated {
  return { text: `\${secret:${secretName(name)}}` };
}

/** A legal name of a secret. */
export function secretName(text: string): string {
  const legal = text.replace(/[^A-Za-z0-9_.-]+/g, '-').slice(0, 120);
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`;
}

const braced = /\$\{([^{}]*)\}/g;

/** Names that editors replace by themselves. */
function editorWord(word: string, machine: AgentMachine): string | undefined {
  const { basename, sep } = pathStyle(machine);
  const words: Readonly<Record<string, string>> = {
    workspaceFolder: machine.cwd,
    workspaceRoot: machine.cwd,
    workspaceFolderBasename: basename(machine.cwd),
    cwd: machine.cwd,
    userHome: machine.home,
    pathSeparator: sep,
    '/': sep,
  };
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

export const notations = {
  none: { reference: /(?!)/g, translate: () => undefined },
  shell: { reference: braced, translate: variableOf },
  dollar: {
    reference: new RegExp(`\\$(${variable})|\\$\\{([^{}]*)\\}`, 'g'),
    translate: variableOf,
  },
  /** Editors made from VS Code, and those that took its notation. */
  editor: {
    reference: braced,
    translate(inside, machine) {
      const input = /^(?:input|promptString):(.+)$/s.exec(inside)?.[1];
      if (input !== undefined) return secretOf(input);
      const word = editorWord(inside, machine);
      if (word !== undefined) return { text: escaped(word) };
      return variableOf(inside) ?? { reason: `it refers to "\${${inside}}", which only its editor knows` };
    },
  },
  template: {
    reference: /\$\{\{\s*([^{}]*?)\s*\}\}/g,
    translate(inside) {
      const name = /^(?:secrets|inputs)\.(.+)$/s.exec(inside)?.[1];
      return name === undefined
        ? { reason: `it refers to "\${{ ${inside} }}", which is unknown here` }
        : secretOf(name);
    },
  },
  braces: {
    reference: /\{((?:env|file):[^{}]*)\}/g,
    translate: (inside) => variableOf(inside) ?? { reason: `it refers to "{${inside}}"; files of values are not read` },
  },
} as const satisfies Readonly<Record<string, Notation>>;

/** A text that means itself, as we write it. */
export function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}

const ownReference = new RegExp(`\\$\\$\\{|\\$\\{(?:env:)?(${variable})(?::-([^{}]*))?\\}`, 'g');

/** A value in our form that refers to no variables but those allowed: others are secrets, to be set once, or their defaults. */
export function withoutVariables(value: unknown, isAllowed: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutVariables(item, isAllowed));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutVariables(item, isAllowed)]));
  }
  if (typeof value !== 'string') return value;
  return value.replace(ownReference, (all: string, name?: string, fallback?: string) => {
    if (name === undefined || isAllowed(name)) return all;
    // A default with a "$" could become a reference together with the text after it.
    return fallback === undefined || fallback.includes('$') ? `\${secret:${name}}` : fallback;
  });
}

/** A value of an agent in our form. */
export function translateText(text: string, notation: Notation, machine: AgentMachine): Translated {
  let out = '';
  let at = 0;
  for (const match of text.matchAll(notation.reference)) {
    const found = notation.translate(match[1] ?? match[2] ?? '', machine);
    if (found === undefined) continue;
    if ('reason' in found) return found;
    out += escaped(text.slice(at, match.index)) + found.text;
    at = match.index + match[0].length;
  }
  return { text: out + escaped(text.slice(at)) };
}
