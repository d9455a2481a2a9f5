/** Detects English by its letters and frequent words: a reader of English only guesses at other languages. */

/** The least share of plain letters in an English text. */
const leastPlain = 0.95;

const english =
  /(?<![\p{L}\p{N}_])(?:the|and|of|to|is|are|be|for|with|by|from|or|an|this|that|not|if|when|it|its|in|on|as|you|your|use)(?![\p{L}\p{N}_])/gu;
const others =
  /(?<![\p{L}\p{N}_])(?:der|die|das|den|dem|des|und|nicht|ist|mit|von|auf|wird|werden|ein|eine|einer|einen|bei|zum|zur|aus|het|een|niet|voor|aan|wordt|van|les?|une?|est|pour|dans|pas|que|vous|sur|avec|par|el|los|las|del|por|para|con|una|uno|sus|uma|dos|das|como|não|il|che|per|non|della|dell|gli|sono|nie|jest|dla|oraz|lub|się|bir|ve|bu|için|ile|och|att|inte|är|som|av|och|dan|untuk|jangan|yang|tanpa|ke|dari|của|không|và|cho|je|na|se|pro|nebo)(?![\p{L}\p{N}_])/gu;

/** A name or a value in another language is no other language, as long as most stands outside of the marks. */
const quoted = /"[^"]{1,60}"|“[^”]{1,60}”|「[^」]{1,60}」|`[^`]{1,60}`/g;

/** `whole` is folded. */
export function isEnglish(whole: string): boolean {
  const outside = whole.replace(quoted, '');
  const text = 2 * outside.length > whole.length ? outside : whole;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const plain = text.match(/[a-z]/g)?.length ?? 0;
  if (letters > 0 && plain / letters < leastPlain) return false;
  const foreign = text.match(others)?.length ?? 0;
  return foreign < 2 || foreign <= (text.match(english)?.length ?? 0);
}
