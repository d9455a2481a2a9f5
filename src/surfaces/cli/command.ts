/** A command as data: its name, arguments, flags and examples are declared once; parsing, help, completions and the reference come from them. */

import type { CommandContext } from './context.ts';

/** Names that a shell can complete; `targets` are servers and tools. */
export type NameKind = 'servers' | 'tools' | 'targets';

export interface ArgumentDeclaration {
  readonly summary: string;
  /** The names that it takes; only the first argument can. */
  readonly names?: NameKind;
  readonly isOptional?: boolean;
  /** Takes all that follow; only the last argument can. */
  readonly isVariadic?: boolean;
  readonly choices?: readonly string[];
}

export interface FlagDeclaration {
  readonly summary: string;
  /** The name of the value in the help; a flag without one is a switch. */
  readonly value?: string;
  /** The names that its value is one of. */
  readonly names?: NameKind;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
  readonly choices?: readonly string[];
  /** The value is a whole number between these. */
  readonly number?: { readonly least: number; readonly most: number };
  /** The environment variable that says the same where the flag is left out. */
  readonly env?: string;
  /** The value where the flag is left out, in words. */
  readonly default?: string;
  /** One letter that says the same. */
  readonly short?: string;
  /** For other programs, not for people: left out of help, completions and reference. */
  readonly isHidden?: boolean;
}

/** In the order in which they are written. */
export type ArgumentDeclarations = Readonly<Record<string, ArgumentDeclaration>>;
/** By long name, without the two dashes. */
export type FlagDeclarations = Readonly<Record<string, FlagDeclaration>>;

export interface Example {
  /** The words after `toolcrib`. */
  readonly line: string;
  readonly meaning: string;
}

type ArgumentValue<A extends ArgumentDeclaration> = A extends { readonly isVariadic: true }
  ? readonly string[]
  : A extends { readonly isOptional: true }
    ? string | undefined
    : string;

type FlagValue<F extends FlagDeclaration> = F extends { readonly isRepeatable: true }
  ? readonly string[]
  : F extends { readonly number: object }
    ? number | undefined
    : F extends { readonly value: string }
      ? string | undefined
      : boolean;

export type ArgumentValues<A extends ArgumentDeclarations> = { readonly [K in keyof A]: ArgumentValue<A[K]> };
export type FlagValues<F extends FlagDeclarations> = { readonly [K in keyof F]: FlagValue<F[K]> };

export interface Invocation<A extends ArgumentDeclarations, F extends FlagDeclarations> {
  readonly args: ArgumentValues<A>;
  readonly flags: FlagValues<F>;
  readonly context: CommandContext;
}

/** The result of a command. */
export interface CommandOutcome {
  /** The output with `--json`; undefined where the command prints for itself. */
  readonly data?: unknown;
  /** The output otherwise, with or without a line break at its end. */
  readonly text?: string;
  /** Printed on stderr after the rest; it decides the exit code unless `exitCode` does. */
  readonly trouble?: Error | undefined;
  /** Printed on stderr at the end, for people only: programs find the same in the data. */
  readonly remarks?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** The command as the table holds it, whatever its arguments and flags. */
export interface Command {
  /** One word, or two for a command of a group: `config check`. */
  readonly name: string;
  /** One line, for lists of commands. */
  readonly summary: string;
  /** More about it, for its own help. */
  readonly description?: string;
  /** The words after the name, where the arguments alone do not show them. */
  readonly usage?: string;
  /** The hint for a line with more arguments than it takes. */
  readonly tooManyHint?: string;
  readonly args: ArgumentDeclarations;
  readonly flags: FlagDeclarations;
  readonly examples: readonly Example[];
  /** The command that this is an older name of: it works and names the new one, and is left out of help, completions and reference. */
  readonly renamedTo?: string;
  /** It prints texts of others: commands in them are left as they are. */
  readonly isVerbatim?: boolean;
  /** For other programs, not for people: left out of help, completions and reference. */
  readonly isHidden?: boolean;
  /** It changes something, and its text only confirms that: `--quiet` leaves the text out. */
  readonly isOrder?: boolean;
  run(invocation: Invocation<ArgumentDeclarations, FlagDeclarations>): Promise<CommandOutcome>;
}

interface CommandDefinition<A extends ArgumentDeclarations, F extends FlagDeclarations>
  extends Omit<Command, 'args' | 'flags' | 'run'> {
  readonly args?: A;
  readonly flags?: F;
  run(invocation: Invocation<A, F>): Promise<CommandOutcome>;
}

/** Words that people know from their shell, for the last word of a command. */
const shortWords: Readonly<Record<string, string>> = { list: 'ls', remove: 'rm' };

/** `ls` for `list`; undefined where there is no shorter word. */
export function shortWordFor(name: string): string | undefined {
  return shortWords[name.split(' ').at(-1) ?? ''];
}

/** `list` for `ls`; every other word is returned as it is. */
export function fullWordFor(word: string): string {
  return Object.entries(shortWords).find(([, short]) => short === word)?.[0] ?? word;
}

/** A command under a name that it had before. */
export function olderName(name: string, command: Command): Command {
  return {
    ...command,
    name,
    renamedTo: command.name,
    async run(invocation) {
      const outcome = await command.run(invocation);
      const remarks = `"toolcrib ${name}" is now "toolcrib ${command.name}".`;
      return { ...outcome, remarks: outcome.remarks === undefined ? remarks : `${outcome.remarks}\n${remarks}` };
    },
  };
}

/** False for commands that help, completions and the reference leave out. */
export function isOffered({ renamedTo, isHidden }: Command): boolean {
  return renamedTo === undefined && isHidden !== true;
}

/** Keeps what is declared and what `run` is given of one type. */
export function defineCommand<const A extends ArgumentDeclarations, const F extends FlagDeclarations>(
  definition: CommandDefinition<A, F>,
): Command {
  const { args, flags, run, ...rest } = definition;
  return {
    ...rest,
    args: args ?? {},
    flags: flags ?? {},
    // The values are read by these very declarations, so they have the types that were worked out from them.
    run: (invocation) => run(invocation as unknown as Invocation<A, F>),
  };
}
