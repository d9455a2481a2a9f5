/** Attention: each token takes from the others, in proportion to how well its query fits their keys. */

/** Tokens that are looked at together, which is what keeps the processor busy. */
export const tokensPerStep = 4;

export interface AttentionShape {
  readonly tokens: number;
  readonly width: number;
  readonly heads: number;
}

/**
 * `asked` holds query, key and value of a token side by side, `output` gets what the token has taken. `scores` is room for
 * one number a token. All have room for `tokens` rounded up to whole steps.
 */
export function attend(asked: Float32Array, shape: AttentionShape, scores: Float64Array, output: Float32Array): void {
  const { tokens, width, heads } = shape;
  const headWidth = width / heads;
  for (let head = 0; head < heads; head += 1) {
    const query = head * headWidth;
    for (let token = 0; token < tokens; token += 1) {
      score(asked, shape, 3 * width * token + query, width + query, scores);
      toShares(scores, tokens);
      take(asked, shape, 2 * width + query, scores, output, token * width + query);
    }
  }
}

/** How well the query at `query` fits the key of each token; `key` is the place of the first one. */
function score(asked: Float32Array, shape: AttentionShape, query: number, key: number, scores: Float64Array): void {
  const { tokens, width, heads } = shape;
  const stride = 3 * width;
  const headWidth = width / heads;
  const factor = 1 / Math.sqrt(headWidth);
  for (let token = 0; token < tokens; token += tokensPerStep) {
    const first = key + token * stride;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let at = 0; at < headWidth; at += 1) {
      const asks = asked[query + at] ?? 0;
      a += asks * (asked[first + at] ?? 0);
      b += asks * (asked[first + stride + at] ?? 0);
      c += asks * (asked[first + 2 * stride + at] ?? 0);
      d += asks * (asked[first + 3 * stride + at] ?? 0);
    }
    scores[token] = a * factor;
    scores[token + 1] = b * factor;
    scores[token + 2] = c * factor;
    scores[token + 3] = d * factor;
  }
}

/** Shares add up to 1; those behind the last token are 0, so that what is left there counts nothing. */
function toShares(scores: Float64Array, tokens: number): void {
  let largest = Number.NEGATIVE_INFINITY;
  for (let token = 0; token < tokens; token += 1) largest = Math.max(largest, scores[token] ?? 0);
  let sum = 0;
  for (let token = 0; token < tokens; token += 1) {
    const share = Math.exp((scores[token] ?? 0) - largest);
    scores[token] = share;
    sum += share;
  }
  for (let token = 0; token < tokens; token += 1) scores[token] = (scores[token] ?? 0) / sum;
  for (let token = tokens; token % tokensPerStep !== 0; token += 1) scores[token] = 0;
}

/** The sum of the values by share; `value` is the place of the first token's. */
function take(
  asked: Float32Array,
  shape: AttentionShape,
  value: number,
  shares: Float64Array,
  output: Float32Array,
  to: number,
): void {
  const { tokens, width, heads } = shape;
  const stride = 3 * width;
  const headWidth = width / heads;
  output.fill(0, to, to + headWidth);
  for (let token = 0; token < tokens; token += tokensPerStep) {
    const first = value + token * stride;
    const a = shares[token] ?? 0;
    const b = shares[token + 1] ?? 0;
    const c = shares[token + 2] ?? 0;
    const d = shares[token + 3] ?? 0;
    for (let at = 0; at < headWidth; at += 1)
      output[to + at] =
        (output[to + at] ?? 0) +
        a * (asked[first + at] ?? 0) +
        b * (asked[first + stride + at] ?? 0) +
        c * (asked[first + 2 * stride + at] ?? 0) +
        d * (asked[first + 3 * stride + at] ?? 0);
  }
}
