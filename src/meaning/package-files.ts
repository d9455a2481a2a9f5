/** The files of models that come with this package. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WordPieces } from './word-pieces.ts';

const assets = join(import.meta.dirname, '../../assets');

export function assetPath(name: string): string {
  return join(assets, name);
}

let opened: WordPieces | undefined;

/** The word pieces that the models of this package share, read at the first use and kept. */
export function openWordPieces(): WordPieces {
  opened ??= new WordPieces(readFileSync(assetPath('vocabulary.txt'), 'utf8'));
  return opened;
}
