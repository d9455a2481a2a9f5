/** One form for names that a reader, or a program that folds case, takes for the same name. */

/** Compatibility forms, case, characters without a shape, and spaces around it do not make another name; a control character does. */
export function foldName(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  // To and fro: the capital of "ı" is that of "i", and "ẞ" becomes "ss" only by way of "ß".
  const folded = name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replace(shapeless, '').trim();
}

/** Nearly every name, and folding those must cost nothing: it is done for each member of each message. */
const plain = /^[\x21-\x7e]*$/;
const shapeless = /\p{Default_Ignorable_Code_Point}/gu;
