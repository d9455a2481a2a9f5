/** Texts that only make sense together: a sentence that goes on in the next field, a code that is cut in pieces. */

import type { ScannedText } from './texts-to-scan.ts';

/** Of the end of one text and the beginning of the next. */
const seamChars = 200;
/** Pairs of one definition that are joined. */
const mostSeams = 60;
const mostPieces = 40;
const openEnd = /[\p{L}\p{N},(–-]\s*$/u;
const goesOn = /^\s*[\p{Ll}\p{Lo}]/u;
const piece = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{12,}={0,2}(?![A-Za-z0-9+/_-])/g;
/** Longer runs are read where they stand. */
const longestPiece = 2_000;

/** Of a code, and not a word or a name. */
function looksCoded(run: string): boolean {
  return (
    run.length <= longestPiece &&
    /[A-Z]/.test(run) &&
    /[a-z]/.test(run) &&
    (/\d/.test(run) || /[a-z][A-Z][a-z]{0,3}[A-Z]/.test(run))
  );
}

export function joinedTexts(texts: readonly ScannedText[]): ScannedText[] {
  const said = texts.filter(
    ({ role }) => role === 'prose' || role === 'title' || role === 'choice' || role === 'sample',
  );
  return [...seams(said), ...pieces(said)];
}

function seams(said: readonly ScannedText[]): ScannedText[] {
  return said
    .flatMap((text, at) => {
      const next = said[at + 1];
      if (next === undefined || next.role !== text.role || !openEnd.test(text.text) || !goesOn.test(next.text))
        return [];
      return [{ ...next, text: `${text.text.slice(-seamChars)} ${next.text.slice(0, seamChars)}` }];
    })
    .slice(0, mostSeams);
}

function pieces(said: readonly ScannedText[]): ScannedText[] {
  const found = said.flatMap((scanned) =>
    (scanned.text.match(piece) ?? []).filter((run) => looksCoded(run)).map((run) => ({ scanned, run })),
  );
  const [first] = found;
  if (first === undefined || found.length < 2) return [];
  const text = found
    .slice(0, mostPieces)
    .map(({ run }) => run.replace(/=+$/, ''))
    .join('');
  return [{ ...first.scanned, text }];
}
