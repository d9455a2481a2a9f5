/** Commands that download a server before they start it: which they are, and what they say when that went wrong. */

import type { StdioTransport as StdioSpec } from '../config/config.ts';

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

/** Whether the words follow each other somewhere among the arguments: options may come before them. */
function hasWords(args: readonly string[], words: readonly string[]): boolean {
  return words.length === 0 || args.some((_, at) => words.every((word, offset) => args[at + offset] === word));
}
