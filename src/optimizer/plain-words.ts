/** The words of a text or of a name, so that both can be compared. */

/** Lower case, in Unicode's compatibility form; `getWeather`, `get_weather` and `get weather` are the same two words. */
export function plainWords(text: string): string[] {
  const parted = text.normalize('NFKC').replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return parted.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
