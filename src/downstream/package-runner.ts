/** Commands that download a server before they start it: which they are, and what they say when that went wrong. */

import type { StdioSpec } from '../config/config.ts';

/** Programs by name, with the words that make them a runner. */
const runners: Readonly<Record<string, readonly (readonly string[])[]>> = {
  npx: [[]],
  pnpx: [[]],
  bunx: [[]],
  uvx: [[]],
  npm: [['exec'], ['x']],
  pnpm: [['dlx']],
  yarn: [['dlx']],
  bun: [['x']],
  uv: [['tool', 'run'], ['run']],
  pipx: [['run']],
  docker: [['run']],
  podman: [['run']],
};

/** On Windows a runner is a script, which a shell has to start: `cmd /c npx …`. */
const shellOfWindows = /^cmd(\.exe)?$/i;

/** The name of the runner; undefined where the command starts the server itself. */
export function packageRunnerOf({ command, args }: Pick<StdioSpec, 'command' | 'args'>): string | undefined {
  const program = command.split(/[\\/]/).at(-1) ?? '';
  if (shellOfWindows.test(program) && /^\/c$/i.test(args[0] ?? '')) {
    const [inner = '', ...rest] = args.slice(1);
    return packageRunnerOf({ command: inner, args: rest });
  }
  const name = program.toLowerCase().replace(/\.(cmd|exe|ps1|bat)$/, '');
  const forms = Object.hasOwn(runners, name) ? (runners[name] ?? []) : [];
  return forms.some((words) => hasWords(args, words)) ? name : undefined;
}

/** True if the words follow each other somewhere among the arguments: options may come before them. */
function hasWords(args: readonly string[], words: readonly string[]): boolean {
  return words.length === 0 || args.some((_, at) => words.every((word, offset) => args[at + offset] === word));
}

/** Why an installation failed, for programs, and what its owner can do. */
interface InstallFault {
  readonly reason: 'package-not-found' | 'broken-install';
  readonly hint: string;
}

const unpublished = /\bnpm (?:error|ERR!) (?:code E404|code ETARGET|404 |notarget )/;
/**
 * A folder of npx, which holds one installation; paths may have spaces, so they count from where one can begin, and nothing
 * that means something to a shell, because a server can print what it likes. Values of its environment are masked.
 */
const npxFolder =
  /(?:['"(]|\bpath |\bfrom |file:\/\/)((?:\*{3}|[a-z]:)?[\\/](?:[\p{L}\p{M}\p{N} .,_@+~\\/-]*?[\\/])?_npx[\\/][0-9a-f]{8,})/iu;
/** Variables that decide where that folder is. */
const cacheVariable = /^(?:npm_config_cache|home|localappdata)$/i;
const incomplete =
  /ENOTEMPTY|ENOENT|EEXIST|ECOMPROMISED|Cannot find (?:module|package)|MODULE_NOT_FOUND|Unexpected end of JSON/;
const corrupt = /EINTEGRITY|integrity checksum failed/;
/** The command that a package should have brought is not there. */
const commandless = /could not determine executable to run/;
const commandMissing = /: (?:command )?not found\s*$/m;

/** The fault of an installation, by the last words of npm or of a server it started; undefined: none. */
export function installFaultIn(
  stderr: string,
  exitCode: number | null,
  env: StdioSpec['env'] = {},
): InstallFault | undefined {
  if (unpublished.test(stderr)) {
    const hint = 'Check the name and version of the package in the command of this server.';
    return { reason: 'package-not-found', hint };
  }
  const folder = incomplete.test(stderr) ? npxFolder.exec(stderr)?.[1] : undefined;
  const variable = Object.keys(env).find((name) => cacheVariable.test(name));
  if (folder !== undefined) return broken(removal(folder.replace('***', () => `$${variable ?? 'HOME'}`)));
  if (corrupt.test(stderr)) return broken('npm cache clean --force');
  const isCommandless = commandless.test(stderr) || (exitCode === 127 && commandMissing.test(stderr));
  return isCommandless ? broken(removal(allOfNpx)) : undefined;
}

function broken(command: string): InstallFault {
  const hint = `The installation is incomplete, probably because it was interrupted. Remove it, and the next start installs it again: ${command}`;
  return { reason: 'broken-install', hint };
}

const isWindows = process.platform === 'win32';
const allOfNpx = isWindows ? '%LocalAppData%\\npm-cache\\_npx' : '$(npm config get cache)/_npx';

function removal(folder: string): string {
  return isWindows ? `rmdir /s /q "${folder}"` : `rm -rf "${folder}"`;
}
