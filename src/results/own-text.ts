/** A text block that we made: annotated, as a server's own never are by us. */

/** From this many characters on a block is for the model, and worth less room than what surrounds it. */
const longText = 2_000;

export function ownText(text: string): Record<string, unknown> {
  const isLong = text.length > longText;
  const annotations = isLong ? { audience: ['assistant'], priority: 0.3 } : { priority: 0.7 };
  return { type: 'text', text, annotations };
}
