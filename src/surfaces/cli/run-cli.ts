/** Parses the line, runs the command and prints what came of it. */

import { CommanderError } from 'commander';
import { commandHere, version, withOwnCommand } from '../../base/own-program.ts';
import { buildProgram, type ParsedLine } from './build-program.ts';
import type { Command, CommandOutcome } from './command.ts';
import { commands } from './commands.ts';
import { type CliHost, type CommandContext, makeContext } from './context.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { type OverviewOptions, overview, shortOverview } from './overview.ts';
import { writeError, writeJson, writeText } from './print.ts';
import { readCommandArguments, readFlags } from './read-values.ts';
import { sharedFlags } from './shared-flags.ts';
import { styleFor } from './style.ts';
import { usageTrouble } from './usage-trouble.ts';

const defaultWidth = 100;

/** Resolves with the exit code; it throws nothing. */
export async function runCli(host: CliHost): Promise<number> {
  const isJson = wantsJson(host.argv);
  // Without the data folder, until the line is read.
  let ownCommand = commandHere(host.cwd, host.env);
  try {
    const chosen = parse(host);
    if (chosen === undefined) return exitCodes.ok;
    const context = makeContext(host, readFlags(sharedFlags, chosen.line, host.env));
    ownCommand = context.command;
    return finish(context, chosen.command, await run(context, chosen));
  } catch (error) {
    const trouble = host.signal.aborted ? host.signal.reason : error;
    writeError(host.stderr, trouble, isJson, ownCommand);
    return exitCodeOf(trouble);
  }
}

interface Chosen {
  readonly command: Command;
  readonly line: ParsedLine;
}

/** Undefined when the line asked for help or the version, which is printed by then. */
function parse(host: CliHost): Chosen | undefined {
  let chosen: Chosen | undefined;
  const program = makeProgram(host, (command, line) => {
    chosen = { command, line };
  });
  try {
    if (host.argv.length === 0) writeHelp(host, shortOverview(looksOf(host)));
    else program.parse([...host.argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.help') return printGroupHelp(host, program);
    if (error.exitCode !== 0) throw usageTrouble(error, host.argv, commands);
  }
  return chosen;
}

/** The parser of every command; help and version are written to stdout. */
export function makeProgram(
  host: CliHost,
  onCommand: (command: Command, line: ParsedLine) => void,
): ReturnType<typeof buildProgram> {
  const looks = looksOf(host);
  const write = (text: string) => writeHelp(host, text);
  return buildProgram({ ...looks, commands, version, overview: () => overview(looks), write, onCommand });
}

function looksOf({ stdout, env }: CliHost): OverviewOptions {
  return { width: Math.min(stdout.columns ?? defaultWidth, defaultWidth), style: styleFor(stdout, env) };
}

function writeHelp({ stdout, cwd, env }: CliHost, text: string): void {
  writeText(stdout, withOwnCommand(text, commandHere(cwd, env)));
}

/** `toolcrib config` alone is not a mistake worth an error: it shows what there is. */
function printGroupHelp(host: CliHost, program: ReturnType<typeof buildProgram>): undefined {
  const word = host.argv.find((item) => !item.startsWith('-'));
  const group = program.commands.find((command) => command.name() === word) ?? program;
  writeHelp(host, group.helpInformation());
  return undefined;
}

async function run(context: CommandContext, { command, line }: Chosen): Promise<CommandOutcome> {
  return command.run({
    args: readCommandArguments(command.args, line),
    flags: readFlags(command.flags, line, context.host.env),
    context,
  });
}

function finish(context: CommandContext, { isVerbatim, isOrder }: Command, outcome: CommandOutcome): number {
  const { host, isJson, isQuiet, notes, command } = context;
  if (isJson && outcome.data !== undefined) writeJson(host.stdout, outcome.data);
  if (!isJson && outcome.text !== undefined && !(isQuiet && isOrder))
    writeText(host.stdout, isVerbatim ? outcome.text : withOwnCommand(outcome.text, command));
  if (outcome.trouble) writeError(host.stderr, outcome.trouble, isJson, command);
  if (!isJson && outcome.remarks !== undefined) writeText(notes, withOwnCommand(outcome.remarks, command));
  return outcome.exitCode ?? (outcome.trouble ? exitCodeOf(outcome.trouble) : exitCodes.ok);
}

/** Known before the line is parsed, because a line that cannot be parsed has an error to print too. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}
