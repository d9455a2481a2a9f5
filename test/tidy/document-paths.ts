/** Checks that paths which documents mention, in back quotes or as relative links, exist. */

import { posix } from 'node:path';
import { type Finding, lineAt, type SourceFile } from './finding.ts';
import { documentedFolders } from './rules.ts';

const knownFolder = new RegExp(`^(?:${documentedFolders.join('|')})/`);
const fileWithFolder = /^[\w-][\w.-]*(?:\/[\w.-]+)*\/[\w.-]+\.(?:ts|js|mjs|md|json|jsonc|sql|yaml|yml)$/;
/** A pattern or an example (`docs/decisions/NNNN-title.md`), not one path. */
const placeholder = /[*<>{}$…|\s]|NNNN/;
/** Made by building or installing, so not there in a fresh checkout. */
const madeLater = /^(?:dist|node_modules|coverage)\//;

export function checkDocumentPaths(file: SourceFile, exists: (path: string) => boolean): Finding[] {
  const text = withoutFences(file.text);
  const folder = posix.dirname(file.path);
  const findings: Finding[] = [];
  const report = (index: number, path: string) =>
    findings.push({ path: file.path, line: lineAt(text, index), reason: `${path} does not exist.` });

  for (const match of text.matchAll(/`([^`\n]+)`/g)) {
    const path = (match[1] ?? '').replace(/^\.\//, '').replace(/:\d+$/, '');
    const isPath =
      (knownFolder.test(path) || fileWithFolder.test(path)) && !placeholder.test(path) && !madeLater.test(path);
    // Documents speak of `catalog/catalog.ts` where src is understood.
    if (isPath && ![path, posix.join('src', path), posix.join(folder, path)].some(exists)) report(match.index, path);
  }
  for (const match of text.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)) {
    const target = (match[1] ?? '').replace(/[#?].*$/, '');
    if (target === '' || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) continue;
    if (!exists(posix.join(folder, decodeURI(target)))) report(match.index, target);
  }
  return findings;
}

/** Blanks fenced blocks: they hold commands and sample output. */
function withoutFences(text: string): string {
  return text.replace(/^(```|~~~)[\s\S]*?^\1/gm, (block) => block.replace(/[^\n]/g, ' '));
}
