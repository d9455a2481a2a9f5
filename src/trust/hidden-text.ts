/** Characters that a person does not see and a model reads, and room that pushes text out of sight. */

/** Controls, invisible and direction characters, fillers, tags, variation selectors that stand for nothing. */
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\u17b4\u17b5]|[\u180b-\u180e]|[\ufe00-\ufe0e]|[\u{e0000}-\u{e01ef}]/gu;

/** Uses of such characters that people see the effect of: joined emoji, flags, scripts that join or turn. */
const seen =
  /\u{1f3f4}[\u{e0020}-\u{e007e}]{2,6}\u{e007f}|(?<=\p{Extended_Pictographic}\ufe0f?|[\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{M}])[\u200c\u200d]|(?<=[\p{Script=Hebrew}\p{Script=Arabic}\s\p{P}])[\u200e\u200f](?=[\p{Script=Hebrew}\p{Script=Arabic}])/gu;

/** So much empty room in a row serves no reader. */
const room = /[^\S\n]{60,}|(?:[^\S\n]*\n){20,}/;

/** What of a text cannot be seen, as one text; empty where there is nothing of that. */
export function hiddenIn(text: string): string {
  const unseen = text.replace(seen, '').match(hidden)?.join('') ?? '';
  return room.test(text) ? `${unseen} ` : unseen;
}
