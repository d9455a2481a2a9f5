/** About how many tokens a text is: a quarter of its bytes, which is within a tenth for definitions of tools and English in JSON. */

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
