/** Names that stand for somebody of the gateway itself, which nobody else may bear, nor one that reads the same. */

const ownNames: ReadonlySet<string> = new Set(['owner', 'agent', 'everybody', 'nobody', 'gateway']);

/** True if people could take a name for one of the gateway's own: capitals, accents, marks and look-alikes make no difference. */
export function readsAsOwn(name: string): boolean {
  return ownNames.has(foldedName(name));
}

function foldedName(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().normalize('NFKD');
  const letters = [...plain].map((letter) => looksLike.get(letter) ?? letter).join('');
  return letters.replace(/[^\p{L}\p{N}]/gu, '').replaceAll('vv', 'w');
}

/** Letters of other alphabets, small capitals and digits, by the letter of those names that they are taken for. */
const shapes: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ4@',
  b: 'ьвβʙƅ8',
  d: 'ԁɗᴅ',
  e: 'еєҽεᴇ3',
  g: 'ɡցԍɢ9',
  n: 'ոռпηɴ',
  o: 'оοօσᴏøө0',
  r: 'гᴦʀ',
  t: 'тτᴛ7',
  v: 'ѵνᴠ',
  w: 'ԝաѡωᴡ',
  y: 'уүγʏ',
};
const looksLike: ReadonlyMap<string, string> = new Map(
  Object.entries(shapes).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);
