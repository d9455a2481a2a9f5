/**
 * English words that only hold a sentence together. Words of place, time and quantity (between, before, all) stay, since tools
 * are told apart by them, and so do verbs of tools (get, list, find).
 */

const functionWords = [
  'a an the this that these those',
  'i me my mine you your yours we us our ours he him his she her hers it its they them their theirs',
  'am is are was were be been being do does did doing done have has had having',
  'can could may might must shall should will would',
  'and or but nor so if then than as because while',
  'of to in on at by for from with into via about',
  'what which whose how there here',
  'not no just also too very really please thanks thank hi hello hey',
  // what an apostrophe leaves behind: I'm, you've, don't, what's
  'im ive ill youre youve were theyre dont doesnt didnt cant couldnt wont wouldnt isnt arent lets whats thats s t',
];

const stopWords: ReadonlySet<string> = new Set(functionWords.flatMap((words) => words.split(' ')));

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
