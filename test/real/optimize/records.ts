/** Prompts and candidates as their authors wrote them: `# server:tool` opens those of a tool, one a line. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PromptCategory } from '../../../src/store/store.ts';

const folder = join(import.meta.dirname, '../../optimizer');

export interface WrittenPrompt {
  /** `server:tool` that it was written for. */
  readonly tool: string;
  readonly category: PromptCategory;
  readonly prompt: string;
  /** Of a negative: the tool that is right instead, if any. */
  readonly instead?: string | undefined;
}

/** `apart` is for the last look alone. */
export function readPrompts(part: 'open' | 'apart'): WrittenPrompt[] {
  return [...readLines(join(folder, 'prompts', part))].flatMap(([tool, lines]) =>
    lines.map((line) => promptOf(tool, line)),
  );
}

/** By `server:tool`. */
export function readCandidates(): Map<string, string[]> {
  return readLines(join(folder, 'candidates'));
}

const categories: Readonly<Record<string, PromptCategory>> = { d: 'direct', i: 'indirect', n: 'negative' };

function promptOf(tool: string, line: string): WrittenPrompt {
  const category = categories[line.slice(0, 1)];
  if (!category || line[1] !== ' ') throw new Error(`No prompt of ${tool}: ${line}`);
  const [prompt = '', instead] = line.slice(2).split(' => ');
  return { tool, category, prompt, ...(instead === undefined || instead === 'none' ? {} : { instead }) };
}

function readLines(path: string): Map<string, string[]> {
  const byTool = new Map<string, string[]>();
  for (const file of readdirSync(path).filter((name) => name.endsWith('.txt'))) {
    let lines: string[] = [];
    for (const line of readFileSync(join(path, file), 'utf8').split('\n')) {
      if (line.startsWith('# ')) {
        const tool = line.slice(2).trim();
        lines = byTool.get(tool) ?? [];
        byTool.set(tool, lines);
      } else if (line.trim() !== '') lines.push(line);
    }
  }
  return byTool;
}
