/** Finds phrases that set a text above other instructions, pose as the system, or keep something from people. Honest definitions have them too: alone they are worth a look, and in what a change adds they wait. */

import { folded } from './fold-text.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';

/** People, and not what belongs to them: "user ids" are no people. */
const people =
  "(?:the |your |any )?(?:users?|humans?|person|people|owner|operator|customer|anyone|anybody)\\b(?!'s| (?:ids?|names?|data|e?-?mails?|numbers?|accounts?|handles?)\\b)";

const phrases = [
  /\b(?:ignore|disregard|forget|override|bypass)\b(?: \w+){0,3} (?:previous|prior|earlier|above|preceding|existing|system|safety|other|former)(?: \w+){0,2} (?:instructions?|rules|prompts?|guidelines|directives|restrictions|messages?)\b/,
  /<\/?(?:system|sys|secret|admin|assistant|developer)(?:[ _-](?:prompt|message|instructions?|override))?>|\[\/?(?:inst|system|sys|system message)\]|<\|im_(?:start|end)\|>|\byou are now (?:in |the |a |an |acting )/,
  /忽略(?:之前|以上|先前|所有)|(?:以前|これまで|上記)の指示.{0,6}無視|이전 지시.{0,8}무시|تجاهل .{0,20}التعليمات|zignoruj .{0,20}(?:poleceni|instrukcj)|önceki talimatlar|ignor(?:a|e|ez|iere[n]?) .{0,25}(?:instruc|istruz|instruç|anweisung|regeln|reglas|consignes)|игнорир\S* .{0,20}(?:инструкц|указан)|\btakes? precedence over (?:the |your |any |all )*(?:instructions|system|user|rules)/,
  new RegExp(
    `\\b(?:do not|don't|never|no need to|(?<!\\bnever\\b[^.]{0,120})without|must not|should not|need not|nor)\\b(?: \\w+){0,2} (?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting|warn|warning)\\b(?: (?:this|it|that|about it|any of this|of this|so))?(?: to)? ${people}(?! to\\b)|\\bnot (?:to )?be (?:mentioned|told|reported|disclosed|brought up) to ${people}|\\b(?:is|are) not to be (?:mentioned|brought up)\\b`,
  ),
  new RegExp(
    `\\b(?:do not|don't|never|without) (?:mention|mentioning|disclose|reveal|announce|report) (?:this|that|it)\\b(?! (?:tool|server|id|number|code)\\b|[^.]{0,40}\\b(?:before|until) (?:they|the (?:user|player|game|round|end))\\b)|\\bkeep (?:this|it|that) (?:to yourself|secret|hidden|quiet|between us|from ${people})|\\b(?:secretly|covertly|surreptitiously)\\b|without (?:the user's|their|his or her) knowledge|${people} (?:need not|needn't|does not need to|do not need to|should not|must not) (?:know|be told|see|hear|notice|learn)|${people} (?:has|have) no (?:need|reason) to (?:know|hear|see)|(?:authori[sz]ed|approved|permitted) (?:by the user )?in advance`,
  ),
  /(?:不要|切勿|无需|请勿)(?:告诉|告知|通知)用户|不要向用户(?:提及|透露)|(?:ユーザー|利用者)(?:に|へ)は?(?:知らせ|言わ|伝え|話さ|報告し)(?:ない|ず|ません|なく|るな)|사용자에게[^.]{0,8}(?:알리지|말하지|언급하지)|لا تخبر المستخدم|(?:dem|den) (?:benutzer|nutzer|anwender)[^.]{0,30}nicht[^.]{0,12}(?:erwähn|sag|nenn|mitteil|inform)|erwähne?n? (?:sie )?(?:das|dies|es)[^.]{0,30}nicht|sans (?:en )?(?:prévenir|informer|avertir|parler à)[^.]{0,12}utilisateur|n'en parle[zs]? pas|ne (?:doit|doivent) pas être (?:évoqué|mentionné)|sin (?:avisar|informar|decir)[^.]{0,15}usuario|no (?:se )?lo (?:menciones|digas|comentes|comente)|não (?:avise|informe|mencione|conte)[^.]{0,12}usuári|пользовател[^.]{0,25}не (?:говор|сообща|упомина)|не (?:говор|сообща|упомина)[^.]{0,25}пользовател|kullanıcıya[^.]{0,20}(?:söyleme|bahsetme|bildirme)|nie (?:mów|informuj|wspominaj)[^.]{0,15}użytkownik|non (?:dirlo|dire|menzionar|avvisare)[^.]{0,15}utente/,
];

export function phrasesIn({ where, text }: ScannedText): Sign[] {
  const said = folded(text);
  const hit = phrases.map((words) => words.exec(said)).find((found) => found !== null);
  if (!hit) return [];
  const excerpt = said.slice(Math.max(0, hit.index - 30), hit.index + hit[0].length + 40);
  return [
    {
      code: 'instructions',
      kind: 'phrase',
      points: 65,
      where,
      says: 'It overrules others, or keeps something from people',
      excerpt,
    },
  ];
}
