/** The context of a command: where it was started, where it prints, and its data folder. */

import { absolutePath, defaultDataDir } from '../../base/folders.ts';
import { commandHere, configOption, dataOption } from '../../base/own-program.ts';
import type { Output } from './print.ts';
import { type Style, styleFor } from './style.ts';

/** The part of a stream that a question needs. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };

/** The streams, environment and signal that the program gives to the command line. */
export interface CliHost {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Where answers to questions come from. */
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
}

export interface CommandContext {
  readonly host: CliHost;
  readonly isJson: boolean;
  /** True: only errors and data are printed. */
  readonly isQuiet: boolean;
  /** For progress and notes: stderr, or nothing with `--quiet`. */
  readonly notes: Output;
  readonly configPath: string | undefined;
  /** For stdout. */
  readonly style: Style;
  /** The width of the terminal; undefined where the output is not for a screen. */
  readonly width: number | undefined;
  /** The absolute path of the data folder. */
  readonly dataDir: string;
  /** How this installation is called in this folder, for this data folder and the config file that was given. */
  readonly command: string;
}

export interface SharedFlagValues {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly data: string | undefined;
  readonly config: string | undefined;
}

export function makeContext(host: CliHost, flags: SharedFlagValues): CommandContext {
  const { cwd, env } = host;
  const usual = absolutePath(env.TOOLCRIB_DATA || defaultDataDir(env), env, cwd);
  const dataDir = flags.data ? absolutePath(flags.data, env, cwd) : usual;
  return {
    host,
    isJson: flags.json,
    isQuiet: flags.quiet,
    notes: flags.quiet ? { write() {} } : host.stderr,
    configPath: flags.config,
    style: styleFor(host.stdout, env),
    width: host.stdout.isTTY ? host.stdout.columns : undefined,
    dataDir,
    command: `${commandHere(cwd, env)}${configOption(flags.config)}${dataOption(dataDir, usual)}`,
  };
}
