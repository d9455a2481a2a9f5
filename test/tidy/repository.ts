/** Reads the repository's own sources and documents. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './finding.ts';
import { sourceFolders } from './rules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const skippedFolders = new Set(['node_modules', 'dist', 'coverage', '.git']);

export function readSources(): SourceFile[] {
  return sourceFolders
    .filter(existsInRepository)
    .flatMap((folder) => [...readAll(folder, '.ts'), ...readAll(folder, '.tsx')]);
}

export function readDocuments(): SourceFile[] {
  return readAll('', '.md');
}

/** Texts written for models to learn from and to be measured by. */
export function readExamples(): SourceFile[] {
  const samples = ['model/passages', 'model/definitions', 'test/poison'].flatMap((folder) => readAll(folder, '.jsonl'));
  return [...samples, ...readAll('test/optimizer', '.txt')];
}

export function existsInRepository(path: string): boolean {
  return existsSync(join(root, path));
}

function readAll(folder: string, ending: string): SourceFile[] {
  const out: SourceFile[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory() && !skippedFolders.has(entry.name)) out.push(...readAll(path, ending));
    else if (entry.isFile() && entry.name.endsWith(ending))
      out.push({ path, text: readFileSync(join(root, path), 'utf8') });
  }
  return out;
}
