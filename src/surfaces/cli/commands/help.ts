/** The commands about the program itself: help, version and completions for a shell. */

import { abortable } from '../../../base/clock.ts';
import { version } from '../../../base/own-program.ts';
import { defineCommand, fullWordFor } from '../command.ts';
import { bashCompletions } from '../completions/bash.ts';
import type { CompletionWords } from '../completions/completion-words.ts';
import { fishCompletions } from '../completions/fish.ts';
import { zshCompletions } from '../completions/zsh.ts';

export const help = defineCommand({
  name: 'help',
  summary: 'Print help, on everything or on one command',
  args: { command: { summary: 'The command', isOptional: true, isVariadic: true } },
  examples: [{ line: 'help add', meaning: 'The same as toolcrib add --help.' }],
  async run({ args, context }) {
    // Loaded here, because the table of commands holds this very command.
    const { commands } = await import('../commands.ts');
    const { makeProgram } = await import('../run-cli.ts');
    const { unknownCommand } = await import('../usage-trouble.ts');
    let parser = makeProgram(context.host, () => {});
    for (const word of args.command.map(fullWordFor)) {
      const next = parser.commands.find((command) => command.name() === word);
      if (next === undefined) throw unknownCommand(word, args.command, commands);
      parser = next;
    }
    let text = '';
    parser.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    return { data: { help: text }, text };
  },
});

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version',
  examples: [{ line: 'version', meaning: 'The same as toolcrib --version.' }],
  async run() {
    return { data: { version, node: process.versions.node }, text: version };
  },
});

export const shells: Readonly<Record<string, (words: CompletionWords) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

/** A name is offered only if no shell finds anything else in it. */
const plainName = /^[\w.:/-]+$/;
/** A key was pressed and somebody waits: an answer that comes later is none. */
const namesPatienceMs = 5_000;

export const names = defineCommand({
  name: 'names',
  summary: 'Print names of servers and tools for the completions of a shell, a line each',
  isHidden: true,
  isVerbatim: true,
  args: { kind: { summary: 'The names', choices: ['servers', 'tools', 'targets'] } },
  examples: [{ line: 'names servers', meaning: 'What a shell offers for a server.' }],
  async run({ args, context }) {
    const { withAdmin } = await import('../with-admin.ts');
    const asking = withAdmin(context, ({ admin }) => admin.run('tools.names', {}));
    const { servers, tools } = await abortable(asking, AbortSignal.timeout(namesPatienceMs));
    const all = [...(args.kind === 'tools' ? [] : servers), ...(args.kind === 'servers' ? [] : tools)];
    const data = all.filter((name) => plainName.test(name));
    return { data, text: data.join('\n') };
  },
});

export const completions = defineCommand({
  name: 'completions',
  summary: 'Print the completions for a shell',
  description: 'They know the names of your servers and tools, also while no gateway runs.',
  isVerbatim: true,
  args: { shell: { summary: 'The shell', choices: Object.keys(shells) } },
  examples: [
    { line: 'completions bash >> ~/.bash_completion', meaning: 'For bash.' },
    { line: `completions zsh > "\${fpath[1]}/_toolcrib"`, meaning: 'For zsh.' },
    { line: 'completions fish > ~/.config/fish/completions/toolcrib.fish', meaning: 'For fish.' },
  ],
  async run({ args }) {
    // Loaded here, because the table of commands holds this very command.
    const { commands } = await import('../commands.ts');
    const { completionWords } = await import('../completions/completion-words.ts');
    const script = shells[args.shell]?.(completionWords(commands)) ?? '';
    return { data: { shell: args.shell, script }, text: script };
  },
});
