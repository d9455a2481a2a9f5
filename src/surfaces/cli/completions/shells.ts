/** The shells we know, each with the function that writes its completions. */

import { bashCompletions } from './bash.ts';
import type { CompletionWords } from './completion-words.ts';
import { fishCompletions } from './fish.ts';
import { zshCompletions } from './zsh.ts';

export const shells: Readonly<Record<string, (words: CompletionWords) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};
