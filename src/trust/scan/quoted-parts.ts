/** Tells what a text says from what it only quotes: examples, code and names in marks are not its own words. */

export interface SaidAndQuoted {
  /** The text with quoted sentences taken out; quoted words and names stay. */
  readonly said: string;
  readonly quoted: readonly string[];
}

/** Pairs of marks. None can run over more than this, so that a lone mark cannot swallow a text. */
const spans =
  /```[\s\S]{1,4000}?```|`[^`\n]{1,400}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」|„[^“”\n]{1,400}[“”]|(?<=[\s(:,])'[^'\n]{3,300}'(?=[\s).,:;!?]|$)/g;

/** Two words or fewer are a name or a value that the sentence needs. */
function isSentence(inner: string): boolean {
  return (
    inner.trim().split(/\s+/).length > 2 ||
    (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(inner) && inner.length > 8)
  );
}

export function saidAndQuoted(text: string): SaidAndQuoted {
  const quoted: string[] = [];
  const said = text.replace(spans, (span) => {
    const inner = span.startsWith('```') ? span.slice(3, -3) : span.slice(1, -1);
    if (!isSentence(inner)) return ` ${inner} `;
    quoted.push(inner);
    return ' "" ';
  });
  return { said, quoted };
}
