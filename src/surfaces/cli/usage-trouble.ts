/** Turns the parser's errors about a wrong line into our own, with the nearest name. */

import type { CommanderError } from 'commander';
import { GatewayError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { Command } from './command.ts';
import { sharedFlags } from './shared-flags.ts';

/** `argv` tells which command was meant. */
export function usageTrouble(error: CommanderError, argv: readonly string[], commands: readonly Command[]): Error {
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const command = commandMeant(argv, commands);
  const line = command === undefined ? 'toolcrib' : `toolcrib ${command.name}`;
  const help = `See: ${line} --help`;
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownCommand(quoted, argv, commands);
    case 'commander.unknownOption':
      return unknownFlag(quoted, line, command, help);
    case 'commander.missingArgument':
      return new GatewayError('USAGE', `"${line}" needs the argument ${quoted.toUpperCase()}.`, { hint: help });
    case 'commander.optionMissingArgument':
      return new GatewayError('USAGE', `The option ${quoted.replace(/[<>]/g, '')} needs its value.`, { hint: help });
    case 'commander.excessArguments':
      return new GatewayError('USAGE', `"${line}" takes fewer arguments than were given.`, {
        hint: command?.tooManyHint ?? help,
      });
    default:
      return new GatewayError('USAGE', sentence(error.message), { hint: help });
  }
}

export function unknownCommand(name: string, argv: readonly string[], commands: readonly Command[]): GatewayError {
  const group = argv.find((word) => commands.some((command) => command.name.startsWith(`${word} `)));
  const wanted = group === undefined || group === name ? name : `${group} ${name}`;
  const [best] = nearest(
    wanted,
    commands.map((command) => command.name),
    1,
  );
  const hint = best === undefined ? 'See: toolcrib --help' : `Did you mean "toolcrib ${best}"?`;
  return new GatewayError('USAGE', `There is no command "${wanted}".`, { hint });
}

function unknownFlag(flag: string, line: string, command: Command | undefined, help: string): GatewayError {
  const known = Object.entries(command?.flags ?? {}).flatMap(([name, { isHidden }]) => (isHidden ? [] : [name]));
  const names = [...known, ...Object.keys(sharedFlags), 'help'].map((name) => `--${name}`);
  const [best] = nearest(flag, names, 1);
  const isCommandPart = command?.name === 'add' && best === undefined;
  const separator = 'Write "--" before the command of the server: toolcrib add NAME -- COMMAND ARGS…';
  const hint = isCommandPart ? separator : best === undefined ? help : `Did you mean ${best}?`;
  return new GatewayError('USAGE', `"${line}" has no option ${flag}.`, { hint });
}

/** The command whose words the line begins with, flags left aside. */
function commandMeant(argv: readonly string[], commands: readonly Command[]): Command | undefined {
  const words = argv.filter((word) => !word.startsWith('-'));
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
