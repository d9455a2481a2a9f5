/**
 * Any character, for made-up texts: the values of fast-check's unit `binary` in the same order. That one makes a table of all
 * million characters first, which takes a second of every process that has such a text.
 */

import fc from 'fast-check';

const firstSurrogate = 0xd800;
const surrogates = 0x800;

export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10_ffff - surrogates).map(
  (at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1 || !text.isWellFormed()) throw new Error('no character');
    const code = text.codePointAt(0) ?? 0;
    return code < firstSurrogate ? code : code - surrogates;
  },
);
