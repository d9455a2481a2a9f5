/** Our own program: its version, how a person calls this installation on a command line, and how much memory it keeps. */

import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** The folder of the program: that of a checkout, or of the installed package. */
const root = fileURLToPath(new URL('../..', import.meta.url));
/** Where a build puts the files of the dashboard. */
export const ownDashboardDir = join(root, 'dist', 'dashboard');
/** A checkout runs its source; the package holds only what was built from it. */
const isCheckout = import.meta.url.endsWith('.ts');

/** True once the package is in the registry: this alone switches messages and the README's first minute to it. */
export const isPublished: boolean = false;

/** For a person in this folder. In a checkout `npx` finds the program only there: elsewhere it would ask a registry for a stranger's. */
export function commandHere(cwd: string, env: NodeJS.ProcessEnv): string {
  if (!isCheckout) return env.npm_command === 'exec' ? 'npx toolcrib' : 'toolcrib';
  return isInside(root, cwd) ? 'npx toolcrib' : commandAnywhere();
}

/** For somebody who may be in any folder, such as the user of an agent. */
export function commandAnywhere(): string {
  if (isPublished) return 'npx toolcrib';
  if (!isCheckout) return 'toolcrib';
  const folder = root.endsWith(sep) ? root.slice(0, -sep.length) : root;
  return `npx --prefix ${shellPath(folder)} toolcrib`;
}

/** For a program that starts ours: it may have another search path than the shell, `npx` takes seconds, and Windows would need a shell. */
export function programWords(): readonly [string, ...string[]] {
  return [process.execPath, join(root, 'bin', 'toolcrib.js')];
}

/** The option that leads a command to this data folder, with a space before it; empty where that is the one it would take. */
export function dataOption(dataDir: string, usual: string): string {
  return dataDir === usual ? '' : ` --data ${shellPath(dataDir)}`;
}

/** The option that leads a command to the config file that was given, with a space before it; empty where none was. */
export function configOption(given: string | undefined): string {
  return given === undefined ? '' : ` --config ${shellPath(given)}`;
}

function shellPath(path: string): string {
  return /[^\w./@:\\-]/.test(path) ? JSON.stringify(path) : path;
}

/** A command of ours: the bare name, alone or in quotes, with a command or an option after it. */
const ownCommand = /(?<=^|[\s"'`(])(?<!npx |npx --prefix \S+ )toolcrib(?= (?:--)?[a-z][a-z-]*(?![\w:/]))/gm;

/** The text with each `toolcrib COMMAND` in it as `command COMMAND`. */
export function withOwnCommand(text: string, command: string): string {
  return text.replace(ownCommand, () => command);
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** How we introduce ourselves, to servers and to agents. */
export const implementation = Object.freeze({ name: 'toolcrib', title: 'Toolcrib', version });

/**
 * V8 lets it grow to 64 MB under load and gives nothing back when the load is over. A gateway idles most of the time, and so
 * does its terminal UI; that it is tidied more often costs three percent of the processor time of a call.
 */
export function pinYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** The next step of a gateway without servers, wherever that is noticed. */
export const noServersHint = 'Import those of your agents: toolcrib init. Add one: toolcrib add NAME -- COMMAND ARGS…';
