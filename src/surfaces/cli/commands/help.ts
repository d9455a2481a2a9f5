/** The commands about the program itself: help, version and completions for a shell. */

import { version } from '../../../base/own-program.ts';
import { defineCommand } from '../command.ts';
import { bashCompletions } from '../completions/bash.ts';
import type { CompletionWords } from '../completions/completion-words.ts';
import { fishCompletions } from '../completions/fish.ts';
import { zshCompletions } from '../completions/zsh.ts';

const width = 100;

export const help = defineCommand({
  name: 'help',
  summary: 'Print help, on everything or on one command',
  args: { command: { summary: 'The command', isOptional: true, isVariadic: true } },
  examples: [{ line: 'help add', meaning: 'The same as toolcrib add --help.' }],
  async run({ args }) {
    // Loaded here, because the table of commands holds this very command.
    const { commands } = await import('../commands.ts');
    const { buildProgram } = await import('../build-program.ts');
    const { unknownCommand } = await import('../usage-trouble.ts');
    let parser = buildProgram({ commands, version, width, write: () => {}, onCommand: () => {} });
    for (const word of args.command) {
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

export const completions = defineCommand({
  name: 'completions',
  summary: 'Print the completions for a shell',
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
