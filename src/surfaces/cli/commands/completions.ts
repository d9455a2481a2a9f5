/** `toolcrib completions`: the script that teaches a shell our commands and flags. */

import { defineCommand } from '../command.ts';
import { bashCompletions } from '../completions/bash.ts';
import type { CompletionWords } from '../completions/completion-words.ts';
import { fishCompletions } from '../completions/fish.ts';
import { zshCompletions } from '../completions/zsh.ts';

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
