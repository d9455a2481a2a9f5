/** A direction in the space of meanings, as it is stored and compared: whole numbers from -127 to 127 and what one of them is worth. */

export interface Vector {
  readonly values: Int8Array;
  /** The length of the vector is 1: `values × scale`. */
  readonly scale: number;
}

const most = 127;

/** The direction of `numbers`, whatever their length; null where they have none. */
export function toVector(numbers: ArrayLike<number>): Vector | null {
  let largest = 0;
  for (let at = 0; at < numbers.length; at += 1) largest = Math.max(largest, Math.abs(numbers[at] ?? 0));
  if (!(largest > 0) || !Number.isFinite(largest)) return null;
  const values = new Int8Array(numbers.length);
  let squares = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    // Divided before it is squared: the square of a very small or very large number is 0 or infinite.
    const share = (numbers[at] ?? 0) / largest;
    squares += share * share;
    values[at] = Math.round(share * most);
  }
  return { values, scale: 1 / most / Math.sqrt(squares) };
}
