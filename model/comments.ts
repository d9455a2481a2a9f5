/** Comments that authors of packages wrote beside their types: documentation of parameters as honest servers have it. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom } from './random.ts';

/** Of one package, so that none sets the tone; smaller ones are hardly about anything. */
const perPackage = { least: 30, most: 4_500 };
const length = { least: 20, most: 1_500 };
const fewestWords = 5;

/** Plain texts, each once, from the comments in all type declarations under `folder`. */
export function commentsOf(folder: string): string[] {
  const byPackage = new Map<string, Set<string>>();
  for (const file of globSync('**/*.d.ts', { cwd: folder }).sort()) {
    const name = file.split('/', file.startsWith('@') ? 2 : 1).join('/');
    const found = byPackage.get(name) ?? new Set<string>();
    byPackage.set(name, found);
    for (const [, comment = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/\/\*\*([\s\S]*?)\*\//g)) {
      const text = plainText(comment);
      const words = text.match(/[a-z]{2,}/g)?.length ?? 0;
      if (text.length >= length.least && text.length <= length.most && words >= fewestWords) found.add(text);
    }
  }
  const random = randomFrom(7);
  return [...byPackage.values()]
    .filter(({ size }) => size >= perPackage.least)
    .flatMap((found) => {
      const order = [...found].map((text) => ({ text, at: random() })).sort((a, b) => a.at - b.at);
      return order.slice(0, perPackage.most).map(({ text }) => text);
    });
}

/** Without stars, tags and links; what follows a description, as examples do, is left out. */
function plainText(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
  const [description = ''] = lines.join('\n').split(/^@(?:example|internal|deprecated|see|public|throws|link)\b/m);
  return description
    .replace(/<[^>\n]{1,80}>/g, ' ')
    .replace(/\{@link\w*\s+([^}|]*)[^}]*\}/g, '$1')
    .replace(/@param\s+(?:\{[^}]*\}\s*)?(\S+)\s*-?\s*/g, '$1: ')
    .replace(/@\w+/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
}
