/** Turns the parser's errors about a wrong line into our own, with the nearest name. */

import type { CommanderError } from 'commander';
import { GatewayError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { plural } from '../../base/plural.ts';
import { type Command, fullWordFor, isOffered } from './command.ts';
import { sharedFlags } from './shared-flags.ts';

/** `argv` tells which command was meant. */
export function usageTrouble(error: CommanderError, argv: readonly string[], commands: readonly Command[]): Error {
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const command = commandMeant(argv, commands);
  const line = command === undefined ? 'toolcrib' : `toolcrib ${command.name}`;
  const help = `See: ${line} --help`;
  const [example] = command?.examples ?? [];
  const instance = example === undefined ? help : `For example: toolcrib ${example.line}`;
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownCommand(quoted, argv, commands);
    case 'commander.unknownOption':
      return unknownFlag(quoted, line, command, help);
    case 'commander.missingArgument':
      return new GatewayError('USAGE', `"${line}" needs the argument ${quoted.toUpperCase()}.`, { hint: instance });
    case 'commander.optionMissingArgument':
      return new GatewayError('USAGE', `The option ${quoted.replace(/[<>]/g, '')} needs its value.`, { hint: help });
    case 'commander.excessArguments':
      return new GatewayError('USAGE', `"${line}" takes ${mostArguments(command)}.`, {
        hint: command?.tooManyHint ?? instance,
      });
    default:
      return new GatewayError('USAGE', sentence(error.message), { hint: help });
  }
}

function mostArguments(command: Command | undefined): string {
  const count = Object.keys(command?.args ?? {}).length;
  return count === 0 ? 'no arguments' : `at most ${plural(count, 'argument')}`;
}

/** Words of other programs for what a command of ours does. */
const otherWords: Readonly<Record<string, string>> = {
  create: 'add',
  delete: 'remove',
  exec: 'call',
  find: 'search',
  login: 'auth',
  ps: 'status',
  run: 'start',
  serve: 'start',
  servers: 'list',
  up: 'start',
};

export function unknownCommand(name: string, argv: readonly string[], all: readonly Command[]): GatewayError {
  const names = all.filter(isOffered).map((command) => command.name);
  const group = argv.find((word) => names.some((command) => command.startsWith(`${word} `)));
  const isSecond = group !== undefined && group !== name;
  const best = isSecond ? secondWord(names, group, name) : firstWord(names, name, argv);
  const hint = best === undefined ? 'See: toolcrib --help' : `Did you mean "toolcrib ${best}"?`;
  return new GatewayError('USAGE', `There is no command "${isSecond ? `${group} ${name}` : name}".`, { hint });
}

/** The command meant by a wrong first word, with the second where it is one of two. */
function firstWord(names: readonly string[], word: string, argv: readonly string[]): string | undefined {
  const firsts = new Set(names.map((name) => name.split(' ')[0] ?? ''));
  const best = otherWords[word] ?? nearest(word, firsts, 1)[0];
  if (best === undefined || names.includes(best)) return best;
  return secondWord(names, best, argv[argv.indexOf(word) + 1] ?? '') ?? best;
}

function secondWord(names: readonly string[], group: string, word: string): string | undefined {
  const seconds = names.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1));
  const [best] = nearest(word, seconds, 1);
  return best && `${group} ${best}`;
}

function unknownFlag(flag: string, line: string, command: Command | undefined, help: string): GatewayError {
  const known = Object.entries(command?.flags ?? {}).flatMap(([name, { isHidden }]) => (isHidden ? [] : [name]));
  const names = [...known, ...Object.keys(sharedFlags), 'help'].map((name) => `--${name}`);
  const [best] = /^-\w$/.test(flag) ? names.filter((name) => name[2] === flag[1]) : nearest(flag, names, 1);
  const isCommandPart = command?.name === 'add' && best === undefined;
  const separator = 'Write "--" before the command of the server: toolcrib add NAME -- COMMAND ARGS…';
  const hint = isCommandPart ? separator : best === undefined ? help : `Did you mean ${best}?`;
  return new GatewayError('USAGE', `"${line}" has no option ${flag}.`, { hint });
}

/** The command whose words the line begins with, flags left aside. */
function commandMeant(argv: readonly string[], commands: readonly Command[]): Command | undefined {
  const words = argv.filter((word) => !word.startsWith('-')).map(fullWordFor);
  const meant = commands.filter(({ name }) =>
    words.some((_, at) => words.slice(at, at + name.split(' ').length).join(' ') === name),
  );
  // Of "review" and "review accept", or of "set" and "secret set", the longer one.
  return meant.find(({ name }) => name.includes(' ')) ?? meant[0];
}

function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replace(/\.$/, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
