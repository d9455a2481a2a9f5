/** Numbers of tokens without a vocabulary: an upper bound for models that read o200k, for short texts, and an estimate for any size. */

/** The text is cut into pieces as such a model cuts it; no token reaches over the border of a piece. */
const pieces =
  /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'(?:[sStTmMdD]|[rRvV][eE]|[lL]{2}))?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'(?:[sStTmMdD]|[rRvV][eE]|[lL]{2}))?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Words of which each is one token, alone, after a space and with a capital; they make the bound useful for plain text. */
export const commonWords = new Set(
  `a about access account action active add address after again all also amount an and any are area as at author
  available back base be because been before begin being between big block body book both build but by call called can
  case category change check city class client close code color comment common company complete content could count
  country create created current custom data date day default delete description detail details did different direct do
  document does done down each early edit email enabled end entry error event every example execute false few field file
  files first follow for found free from full get give go good group had has have he header help her here high his home
  host how id if image in index info input is issue it item items its job just keep key kind know label language
  large last later left length less level like limit line lines link links list local location long look made main make
  many map match may me member message method more most much must my name need never new next no not note now null number
  object of off offer old on once one only open option or order other our out over owner own page pages parent part parts
  path person phone place plan point position post price priority process product program project public question rate
  read ready real reason record report request required resource response result results return right role row rows run
  same say search second see send server service session set she short should show side since single size small so some
  source start started state status step still stop store string such summary support system table tag take task team
  tell test text than that the their them then there these they thing this those through time title to tool top total
  tree true turn two type under unit until up update updated url use used user users valid value values version very view
  want was way we week well were what when where which while who whole why will with without word work world would write
  year yes yet you your`.split(/\s+/),
);

/** Runs of signs of which each is one token: what JSON is held together with. */
export const commonSigns = new Set([
  '":"',
  '","',
  '":',
  '",',
  '{"',
  '"}',
  '"},',
  '":{"',
  '":["',
  '":[',
  '"]',
  '},{"',
  '"},{"',
  '},',
  '],"',
  '],',
  ' {',
  ' "',
  ' (',
  '),',
  ').',
  '.\n',
  ':\n',
  ',\n',
  '{\n',
  '},\n',
  '",\n',
  '],\n',
  '":\n',
  '://',
  '...',
  '="',
  '">',
  '</',
  '/>\n',
  '>\n',
]);

/** Pairs of small letters that are no token; every other pair of neighbours is, and so never stays apart. */
const loosePairs = new Set(
  'bq gk gq jv jz kq kz lq nq qf qg qj qk qv qz rj tq wq wz xg xj xk xq xv xw yq zj zq zv'.split(' '),
);

/** A word after one sign. Not every sign: a few join the first letter of some words, and what is left falls apart. */
const signedWord = /^(?:[!-&(-/:-@[-^`{-~][A-Za-z]|_[a-z])[A-Za-z]*$/;

/** `names`: more words, in small letters, of which each is one token alone and after a space, and at most two after a sign. */
export function estimateTokens(text: string, names: ReadonlySet<string> = noNames): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) tokens += tokensOf(piece, names);
  return tokens;
}

const noNames: ReadonlySet<string> = new Set();

/** Characters that one token is counted for at most, but for long runs of spaces. */
const longestToken = 16;

/** A beginning that stays within a number of tokens, the whole text if that does; whole characters only. */
export function cutToTokens(text: string, tokens: number): string {
  // Looked at first, because a part of a common word can count more than the word.
  const most = Math.max(0, tokens) * longestToken;
  if (text.length <= most && estimateTokens(text) <= tokens) return text.toWellFormed();
  let low = 0;
  let high = Math.min(text.length, most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return text
    .slice(0, low)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
}

function tokensOf(piece: string, names: ReadonlySet<string>): number {
  if (/^[ A-Za-z]?[A-Za-z]*$/.test(piece)) return tokensOfWord(piece, names);
  if (/^[0-9]+$/.test(piece) || commonSigns.has(piece)) return 1;
  if (/^ +$/.test(piece)) return Math.floor(piece.length / 8) + 1;
  if (signedWord.test(piece)) return 1 + tokensOfWord(piece.slice(1), names);
  let tokens = 0;
  for (const character of piece) tokens += mostOf(character.codePointAt(0) as number);
  return tokens;
}

/** At most one for each byte; Russian letters are always one. */
function mostOf(code: number): number {
  if (code < 0x80 || (code >= 0x410 && code <= 0x44f)) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_0000 ? 3 : 4;
}

/** Letters, perhaps after a space. */
function tokensOfWord(word: string, names: ReadonlySet<string>): number {
  const bare = word.startsWith(' ') ? word.slice(1) : word;
  if (names.has(bare)) return 1;
  const rest = bare.slice(1);
  if (rest === rest.toLowerCase() && commonWords.has(bare.toLowerCase())) return 1;
  return mostParts(word);
}

/** The most parts that can be left when every two neighbours that are a token together have been joined. */
function mostParts(word: string): number {
  // The best counts when the last part is one letter, and when it is longer.
  let single = 1;
  let longer = 0;
  let before = 0;
  for (let at = 1; at < word.length; at += 1) {
    const joined = Math.max(before + 1, longer);
    const apart = isLoose(word[at - 1] as string, word[at] as string) ? Math.max(single, longer) : longer;
    before = Math.max(single, longer);
    single = apart + 1;
    longer = joined;
  }
  return Math.max(single, longer);
}

function isLoose(first: string, second: string): boolean {
  if (first === ' ') return false;
  return first < 'a' || second < 'a' || loosePairs.has(first + second);
}

/** Within a tenth for definitions of tools and for English in JSON. */
const bytesPerToken = 4;

export function aboutTokens(text: string): number {
  return aboutTokensOf(Buffer.byteLength(text));
}

/** As people read it: three digits are all that an estimate is good for. */
export function sayTokens(tokens: number): string {
  return Number(tokens.toPrecision(3)).toLocaleString('en-US');
}

export function aboutTokensOf(bytes: number): number {
  return Math.round(bytes / bytesPerToken);
}
