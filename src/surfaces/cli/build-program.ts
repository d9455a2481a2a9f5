/** Builds the parser and its help from the declarations of the commands. */

import { Argument, Option, Command as Parser } from 'commander';
import { type Command, type FlagDeclaration, isOffered, shortWordFor } from './command.ts';
import { groups } from './groups.ts';
import { sharedFlags } from './shared-flags.ts';
import type { Style } from './style.ts';

export interface ProgramOptions {
  readonly commands: readonly Command[];
  readonly version: string;
  readonly width: number;
  readonly style: Style;
  /** The help on the program as a whole. */
  overview(): string;
  /** Where help and version go. */
  write(text: string): void;
  /** Called for the command that was asked for, with what was written. */
  onCommand(command: Command, parsed: ParsedLine): void;
}

/** The parsed line, not yet checked. */
export interface ParsedLine {
  readonly operands: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
}

export function buildProgram(options: ProgramOptions): Parser {
  const program = new Parser('toolcrib');
  prepare(program, options)
    .version(options.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .configureHelp({ formatHelp: options.overview })
    .helpCommand(false);
  for (const [name, flag] of Object.entries(sharedFlags)) program.addOption(optionOf(name, flag));
  const parents = new Map<string, Parser>();
  for (const command of options.commands) addCommand(program, parents, command, options);
  return program;
}

/** The flag as it is written, with the name of its value. */
export function flagSyntax(name: string, { short, value }: FlagDeclaration): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? names : `${names} <${value}>`;
}

/** The help of a flag: its summary, its choices, its environment variable and its default. */
export function flagText(flag: FlagDeclaration): string {
  const facts = [
    flag.isRepeatable ? 'may be repeated' : '',
    flag.choices ? `one of: ${flag.choices.join(', ')}` : '',
    flag.env ? `environment: ${flag.env}` : '',
    flag.default ? `default: ${flag.default}` : '',
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? flag.summary : `${flag.summary} (${facts.join('; ')})`;
}

function addCommand(program: Parser, parents: Map<string, Parser>, command: Command, options: ProgramOptions): void {
  const [first = '', second] = command.name.split(' ');
  const parent = second === undefined ? program : groupOf(program, parents, first, options);
  const parser = parserOf(command, second ?? first, options);
  const short = shortWordFor(command.name);
  if (short !== undefined) parser.alias(short);
  parent.addCommand(parser, { hidden: !isOffered(command) });
  // A command can have others below it, as `review` has `review accept`.
  if (second === undefined) parents.set(first, parser);
}

function groupOf(program: Parser, parents: Map<string, Parser>, name: string, options: ProgramOptions): Parser {
  const known = parents.get(name);
  if (known) return known;
  const group = prepare(new Parser(name), options)
    .description(groups[name] ?? '')
    .helpOption('-h, --help', 'Print help')
    .helpCommand(false);
  program.addCommand(group);
  parents.set(name, group);
  return group;
}

function parserOf(command: Command, name: string, options: ProgramOptions): Parser {
  const parser = prepare(new Parser(name), options)
    .summary(command.summary)
    .description([`${command.summary}.`, command.description ?? ''].join('\n\n').trim())
    .helpOption('-h, --help', 'Print help');
  for (const [argument, { summary, isOptional, isVariadic, choices }] of Object.entries(command.args)) {
    const shown = isVariadic ? `${argument.toUpperCase()}...` : argument.toUpperCase();
    const text = choices ? `${summary} (one of: ${choices.join(', ')})` : summary;
    parser.addArgument(new Argument(isOptional ? `[${shown}]` : `<${shown}>`, text));
  }
  if (command.usage !== undefined) parser.usage(`[options] ${command.usage}`);
  for (const [flag, declaration] of Object.entries(command.flags)) parser.addOption(optionOf(flag, declaration));
  const examples = command.examples.map(({ line, meaning }) => `  toolcrib ${line}\n      ${meaning}`);
  parser.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  parser.action((...given: unknown[]) => {
    const operands = given.slice(0, Object.keys(command.args).length);
    options.onCommand(command, { operands, options: parser.optsWithGlobals() });
  });
  return parser;
}

function optionOf(name: string, flag: FlagDeclaration): Option {
  const option = new Option(flagSyntax(name, flag), flagText(flag)).hideHelp(flag.isHidden === true);
  if (flag.isRepeatable) option.argParser((value: string, before: string[] = []) => [...before, value]);
  return option;
}

/** Errors are thrown, not printed; nothing ends the process. */
function prepare(parser: Parser, options: ProgramOptions): Parser {
  return parser
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureHelp({ showGlobalOptions: true, helpWidth: options.width, styleTitle: options.style.strong })
    .configureOutput({
      writeOut: options.write,
      writeErr: () => {},
      getOutHelpWidth: () => options.width,
      // The style knows already where colours can be seen.
      getOutHasColors: () => true,
    });
}
