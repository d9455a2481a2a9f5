/** The smallest parts of JSON's grammar: which byte may follow in a number or an escape. */

export const quote = 0x22;
export const backslash = 0x5c;

/** What a number may go on with, by what it ended with so far. */
export const numberParts = {
  sign: 0,
  zero: 1,
  whole: 2,
  point: 3,
  fraction: 4,
  exponent: 5,
  exponentSign: 6,
  power: 7,
} as const;

/** Whether a number may end here. */
export function isWholeNumber(part: number): boolean {
  const { zero, whole, fraction, power } = numberParts;
  return part === zero || part === whole || part === fraction || part === power;
}

/** What a number is after one more byte; -1 when the byte does not belong to it. */
export function nextPart(part: number, byte: number): number {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isExponent = byte === 0x65 || byte === 0x45;
  switch (part) {
    case numberParts.sign:
      return byte === 0x30 ? numberParts.zero : isDigit ? numberParts.whole : -1;
    case numberParts.zero:
      return byte === 0x2e ? numberParts.point : isExponent ? numberParts.exponent : -1;
    case numberParts.whole:
      return isDigit ? numberParts.whole : byte === 0x2e ? numberParts.point : isExponent ? numberParts.exponent : -1;
    case numberParts.point:
      return isDigit ? numberParts.fraction : -1;
    case numberParts.fraction:
      return isDigit ? numberParts.fraction : isExponent ? numberParts.exponent : -1;
    case numberParts.exponent:
      return isDigit ? numberParts.power : byte === 0x2b || byte === 0x2d ? numberParts.exponentSign : -1;
    default:
      return isDigit ? numberParts.power : -1;
  }
}

/** `"`, `\`, `/`, b, f, n, r, t */
export function isEscape(byte: number): boolean {
  return (
    byte === quote ||
    byte === backslash ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}

export function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
