/** Translates words of other languages into English, one by one, so that models that know only English see what a text is about. */

import { readFileSync } from 'node:fs';
import { assetPath } from './model-input.ts';

/** The English for a word, by language. */
type Meanings = Map<string, string>;

/** The fewest characters of a stem. */
const shortestStem = 3;
/** The most characters of a word. */
const longestStem = 24;
/** The most characters of a word in a language without spaces. */
const longestUnspaced = 12;
const unspacedRun = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u3005]+/gu;
const word = /[\p{L}\p{M}]+/gu;
const wordRun = /[\p{L}\p{M}]+(?: [\p{L}\p{M}]+)*/gu;
/** The most words of a phrase, such as "mot de passe". */
const longestPhrase = 3;
/** English words that other languages lack, or use for something else. */
const english = new Set(
  'a the and of to in is are was be has have can will may must do no not for with by from at or an this that these those they them there their than so if when where who how what which while it its on as into out per you your we one two more other first once only also use call before after then always never tool all any each every'.split(
    ' ',
  ),
);
/** One such word among this many words proves English. */
const mostPlainShare = 3;
/** Fewer known words of a language are names, or chance. */
const fewestWords = 2;

export class Glosses {
  readonly #words = new Map<string, Meanings>();
  readonly #stems = new Map<string, Meanings>();

  constructor(path: string) {
    for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
      const [language = '', form = '', gloss = ''] = line.split('\t');
      const isStem = form.endsWith('*');
      const forms = isStem ? this.#stems : this.#words;
      const said = isStem ? form.slice(0, -1) : form;
      const meanings: Meanings = forms.get(said) ?? new Map();
      forms.set(said, meanings.set(language, gloss));
    }
  }

  /** Translates the known words of a lower-case text; English stays as it is. */
  english(text: string): string {
    const read = text.replace(unspacedRun, (run) => this.#unspaced(run));
    const language = this.#languageOf(read);
    return language === undefined ? read : read.replace(wordRun, (run) => this.#spaced(run, language));
  }

  /** The script decides: only Japanese has kana, and only Korean has hangul. */
  #unspaced(run: string): string {
    const language = /[\u3040-\u30ff]/.test(run) ? 'ja' : /[\uac00-\ud7af]/.test(run) ? 'ko' : 'zh';
    const meaningOf = (part: string) => this.#words.get(part)?.get(language);
    let said = '';
    for (let at = 0; at < run.length; ) {
      let size = Math.min(longestUnspaced, run.length - at);
      while (size > 1 && meaningOf(run.slice(at, at + size)) === undefined) size -= 1;
      const part = run.slice(at, at + size);
      said += ` ${meaningOf(part) ?? part} `;
      at += size;
    }
    return said.replace(/ +/g, ' ');
  }

  /** For words with single spaces between them: the longest known phrase wins. */
  #spaced(run: string, language: string): string {
    const parts = run.split(' ');
    const said: string[] = [];
    for (let at = 0; at < parts.length; ) {
      let size = Math.min(longestPhrase, parts.length - at);
      while (size > 1 && !this.#words.get(parts.slice(at, at + size).join(' '))?.has(language)) size -= 1;
      const part = parts.slice(at, at + size).join(' ');
      said.push(this.#meaning(part, language) ?? part);
      at += size;
    }
    return said.join(' ');
  }

  #meaning(found: string, language: string): string | undefined {
    const own = this.#words.get(found)?.get(language);
    if (own !== undefined) return own;
    for (let size = Math.min(longestStem, found.length); size >= shortestStem; size -= 1) {
      const gloss = this.#stems.get(found.slice(0, size))?.get(language);
      if (gloss !== undefined) return gloss;
    }
    return undefined;
  }

  /** The language that knows most of the words, if it knows more of them than English. */
  #languageOf(text: string): string | undefined {
    const words = text.match(word) ?? [];
    const foreign = words.filter((found) => !english.has(found));
    // Nearly all texts are English, so they are recognised first.
    if (mostPlainShare * (words.length - foreign.length) >= words.length) return undefined;
    const known = new Map<string, number>();
    for (const found of foreign) {
      for (const language of this.#languagesWith(found)) known.set(language, (known.get(language) ?? 0) + 1);
    }
    const [best] = [...known].sort(([, one], [, other]) => other - one);
    return best && best[1] > Math.max(fewestWords - 1, words.length - foreign.length) ? best[0] : undefined;
  }

  /** A word that English also has does not identify a language. */
  #languagesWith(found: string): Set<string> {
    const languages = new Set<string>();
    const add = (meanings: Meanings | undefined) => {
      for (const [language, gloss] of meanings ?? []) if (gloss !== found) languages.add(language);
    };
    add(this.#words.get(found));
    for (let size = Math.min(longestStem, found.length); size >= shortestStem; size -= 1)
      add(this.#stems.get(found.slice(0, size)));
    return languages;
  }
}

let opened: Glosses | undefined;

/** The glosses of this package, read once at the first use. */
export function openGlosses(): Glosses {
  opened ??= new Glosses(assetPath('glosses.tsv'));
  return opened;
}
