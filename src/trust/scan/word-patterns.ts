/** Makes one expression of many phrases that are written almost as plain text. */

/**
 * In a phrase, `<name>` stands for a list of words, `~` for up to eight words in between, `…` for up to a dozen characters (where
 * words are not separated), and `*` after a letter or `%` for the rest of a word. Everything else is as in an expression.
 */
export type Phrase = string;
export type WordLists = Readonly<Record<string, string>>;

/** Letters of the scripts that separate words; phrases of others have no edges. */
const letters = 'a-zß-ɏΐ-ώа-џґ-ґא-תء-ي0-9';

/** Phrases that begin with a word share one look at where it begins: it is what makes this quick. */
export function anyPhrase(phrases: readonly Phrase[], lists: WordLists = {}): RegExp {
  const { within = [], anywhere = [] } = Object.groupBy(phrases, (phrase) =>
    startsWithWord(phrase) ? 'within' : 'anywhere',
  );
  const atWords =
    within.length > 0 ? [`(?<![${letters}])(?:${within.map((phrase) => sourceOf(phrase, lists)).join('|')})`] : [];
  return new RegExp([...atWords, ...anywhere.map((phrase) => sourceOf(phrase, lists))].join('|'));
}

function startsWithWord(phrase: Phrase): boolean {
  return separatesWords(phrase) && (/^[(?:[]*[\p{L}\p{N}]/u.test(phrase) || phrase.startsWith('<'));
}

function sourceOf(phrase: Phrase, lists: WordLists): string {
  const source = withLists(phrase, lists)
    .replaceAll(' ~ ', ' (?:[^\\s]{1,40} ){0,8}?')
    .replaceAll('…', '.{0,12}?')
    .replace(/(?<=[\p{L}\p{N}])\*|%/gu, `[${letters}']*`);
  const endsWithWord = separatesWords(phrase) && /[\p{L}\p{N})*%>?]$/u.test(phrase);
  return `(?:${source})${endsWithWord ? `(?![${letters}])` : ''}`;
}

function withLists(phrase: Phrase, lists: WordLists): string {
  let source = phrase;
  // Lists may name others, a few levels deep.
  for (let depth = 0; depth < 4; depth += 1) {
    source = source.replace(/<([a-z-]+)>/g, (whole, name: string) =>
      lists[name] === undefined ? whole : `(?:${lists[name]})`,
    );
  }
  return source;
}

function separatesWords(phrase: Phrase): boolean {
  return !/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(phrase);
}
