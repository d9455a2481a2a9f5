/** The words and flags that a shell can complete, from the declarations of the commands. */

import { type Command, type FlagDeclarations, isOffered, type NameKind, shortWordFor } from '../command.ts';
import { groups } from '../groups.ts';
import { sharedFlags } from '../shared-flags.ts';

export interface Word {
  readonly text: string;
  readonly summary: string;
}

export interface FlagWord extends Word {
  /** Its value: none, a file, one of some values, a name, or anything. */
  readonly takes: 'nothing' | 'file' | 'anything' | NameKind | readonly string[];
}

/** A place on the line: the words so far, and what may come next. */
export interface CompletionPosition {
  /** Empty for the start of the line, else `config` or `config check`. */
  readonly path: string;
  readonly words: readonly Word[];
  /** Without those that may stand everywhere. */
  readonly flags: readonly FlagWord[];
  /** The names that its first argument is one of. */
  readonly names?: NameKind | undefined;
}

export interface CompletionWords {
  readonly places: readonly CompletionPosition[];
  /** Flags that may stand everywhere. */
  readonly shared: readonly FlagWord[];
}

export function completionWords(all: readonly Command[]): CompletionWords {
  const commands = all.filter(isOffered);
  const first = [
    ...commands.filter(({ name }) => !name.includes(' ')).map(({ name, summary }) => ({ text: name, summary })),
    ...Object.entries(groups).map(([text, summary]) => ({ text, summary })),
  ];
  const places = [
    { path: '', words: first, flags: [switchWord('version', 'Print the version')] },
    ...Object.keys(groups).map((group) => ({ path: group, words: secondWords(commands, group), flags: [] })),
    ...commands.flatMap((command) =>
      namesOf(command).map((path) => ({
        path,
        words: command.name === 'help' ? first : [...secondWords(commands, command.name), ...choicesOf(command)],
        flags: flagWords(command.flags),
        names: Object.values(command.args)[0]?.names,
      })),
    ),
  ];
  return { places, shared: [...flagWords(sharedFlags), switchWord('help', 'Print help')] };
}

/** The paths of all places but the first. */
export function pathsOf({ places }: CompletionWords): string[] {
  return places.map(({ path }) => path).filter((path) => path !== '');
}

/** Short words are understood, not offered. */
function namesOf({ name }: Command): string[] {
  const short = shortWordFor(name);
  return short === undefined ? [name] : [name, [...name.split(' ').slice(0, -1), short].join(' ')];
}

function secondWords(commands: readonly Command[], group: string): Word[] {
  return commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name, summary }) => ({ text: name.slice(group.length + 1), summary }));
}

function choicesOf(command: Command): Word[] {
  const choices = Object.values(command.args).flatMap((argument) => argument.choices ?? []);
  return choices.map((text) => ({ text, summary: '' }));
}

function flagWords(flags: FlagDeclarations): FlagWord[] {
  return Object.entries(flags)
    .filter(([, flag]) => !flag.isHidden)
    .map(([name, { summary, value, choices, names }]) => {
      if (value === undefined) return switchWord(name, summary);
      const isFile = value === 'FILE' || value === 'DIR';
      return { text: `--${name}`, summary, takes: isFile ? 'file' : (choices ?? names ?? 'anything') };
    });
}

function switchWord(name: string, summary: string): FlagWord {
  return { text: `--${name}`, summary, takes: 'nothing' };
}
