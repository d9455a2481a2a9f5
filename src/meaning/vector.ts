/** A direction in the space of meanings, as it is stored and compared: whole numbers from -127 to 127 and what one of them is worth. */

export interface Vector {
  readonly values: Int8Array;
  /** The length of the vector is 1: `values × scale`. */
  readonly scale: number;
}

const most = 127;

/** The direction of `numbers`, whatever their length; null where they have none. */
export function toVector(numbers: ArrayLike<number>): Vector | null {
  let squares = 0;
  let largest = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    const value = numbers[at] ?? 0;
    squares += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  if (!(largest > 0) || !Number.isFinite(squares)) return null;
  const values = new Int8Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) values[at] = Math.round(((numbers[at] ?? 0) * most) / largest);
  return { values, scale: largest / most / Math.sqrt(squares) };
}
