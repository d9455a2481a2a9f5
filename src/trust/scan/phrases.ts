/** The few phrases that hardly any honest definition says: they count beside what the reader makes of a sentence. */

import type { ReasonCode } from '../judgement.ts';
import { folded } from './fold-text.ts';
import { saidAndQuoted } from './quoted-parts.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';
import type { ToolSubject } from './tool-subject.ts';

interface Phrase {
  readonly code: ReasonCode;
  readonly says: string;
  readonly points: number;
  readonly words: RegExp;
}

/** People, and not what belongs to them: "user ids" are no people. */
const people =
  "(?:the |your |any )?(?:users?|humans?|person|people|owner|operator|customer|anyone|anybody)\\b(?!'s| (?:ids?|names?|data|e?-?mails?|numbers?|accounts?|handles?)\\b)";

const phrases: readonly Phrase[] = [
  {
    code: 'instructions',
    says: 'It sets itself above other instructions',
    points: 90,
    words:
      /\b(?:ignore|disregard|forget|override|bypass)\b(?: \w+){0,3} (?:previous|prior|earlier|above|preceding|existing|system|safety|other|former)(?: \w+){0,2} (?:instructions?|rules|prompts?|guidelines|directives|restrictions|messages?)\b/,
  },
  {
    code: 'instructions',
    says: 'It poses as a message of the system',
    points: 100,
    words:
      /<\/?(?:system|sys|secret|admin|assistant|developer)(?:[ _-](?:prompt|message|instructions?|override))?>|\[\/?(?:inst|system|sys|system message)\]|<\|im_(?:start|end)\|>|\byou are now (?:in |the |a |an |acting )/,
  },
  {
    code: 'instructions',
    says: 'It marks a part for the model alone',
    points: 50,
    words: /<\/?(?:important|hidden|critical|mandatory)>/,
  },
  {
    code: 'instructions',
    says: 'It wants something kept from people',
    points: 60,
    words: new RegExp(
      `\\b(?:do not|don't|never|no need to|(?<!\\bnever\\b[^.]{0,120})without|must not|should not|need not|nor)\\b(?: \\w+){0,2} (?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting|warn|warning)\\b(?: (?:this|it|that|about it|any of this|of this|so))?(?: to)? ${people}(?! to\\b)|\\bnot (?:to )?be (?:mentioned|told|reported|disclosed|brought up) to ${people}|\\b(?:is|are) not to be (?:mentioned|brought up)\\b`,
    ),
  },
  {
    code: 'instructions',
    says: 'It wants something kept from people',
    points: 70,
    words: new RegExp(
      `\\b(?:do not|don't|never|without) (?:mention|mentioning|disclose|reveal|announce|report) (?:this|that|it)\\b(?! (?:tool|server|id|number|code)\\b|[^.]{0,40}\\b(?:before|until) (?:they|the (?:user|player|game|round|end))\\b)|\\bkeep (?:this|it|that) (?:to yourself|secret|hidden|quiet|between us|from ${people})|\\b(?:secretly|covertly|surreptitiously)\\b|without (?:the user's|their|his or her) knowledge|${people} (?:need not|needn't|does not need to|do not need to|should not|must not) (?:know|be told|see|hear|notice|learn)|${people} (?:has|have) no (?:need|reason) to (?:know|hear|see)|(?:authori[sz]ed|approved|permitted) (?:by the user )?in advance`,
    ),
  },
  {
    code: 'instructions',
    says: 'It wants something kept from people',
    points: 60,
    words:
      /(?:不要|切勿|无需|请勿)(?:告诉|告知|通知)用户|不要向用户(?:提及|透露)|(?:ユーザー|利用者)(?:に|へ)は?(?:知らせ|言わ|伝え|話さ|報告し)(?:ない|ず|ません|なく|るな)|사용자에게[^.]{0,8}(?:알리지|말하지|언급하지)|لا تخبر المستخدم|(?:dem|den) (?:benutzer|nutzer|anwender)[^.]{0,30}nicht[^.]{0,12}(?:erwähn|sag|nenn|mitteil|inform)|erwähne?n? (?:sie )?(?:das|dies|es)[^.]{0,30}nicht|sans (?:en )?(?:prévenir|informer|avertir|parler à)[^.]{0,12}utilisateur|n'en parle[zs]? pas|ne (?:doit|doivent) pas être (?:évoqué|mentionné)|sin (?:avisar|informar|decir)[^.]{0,15}usuario|no (?:se )?lo (?:menciones|digas|comentes|comente)|não (?:avise|informe|mencione|conte)[^.]{0,12}usuári|пользовател[^.]{0,25}не (?:говор|сообща|упомина)|не (?:говор|сообща|упомина)[^.]{0,25}пользовател|kullanıcıya[^.]{0,20}(?:söyleme|bahsetme|bildirme)|nie (?:mów|informuj|wspominaj)[^.]{0,15}użytkownik|non (?:dirlo|dire|menzionar|avvisare)[^.]{0,15}utente/,
  },
  {
    code: 'instructions',
    says: 'It sets itself above other instructions',
    points: 90,
    words:
      /忽略(?:之前|以上|先前|所有)|(?:以前|これまで|上記)の指示.{0,6}無視|이전 지시.{0,8}무시|تجاهل .{0,20}التعليمات|zignoruj .{0,20}(?:poleceni|instrukcj)|önceki talimatlar|ignor(?:a|e|ez|iere[n]?) .{0,25}(?:instruc|istruz|instruç|anweisung|regeln|reglas|consignes)|игнорир\S* .{0,20}(?:инструкц|указан)|\btakes? precedence over (?:the |your |any |all )*(?:instructions|system|user|rules)/,
  },
  {
    code: 'secrets',
    says: 'It wants the conversation',
    points: 60,
    words:
      /整个对话|全部对话|对话(?:全文|历史|记录)|会話の?(?:全文|全体|履歴)|대화 (?:전체|내용|기록)|كامل المحادثة|(?:gesamt\S*|bisherig\S*|ganz\S*) (?:chat|gespräch|unterhaltung|konversation)\S*|(?:toute la|l'historique de la) conversation|tutta la conversazione|toda la conversación|histórico da conversa|całą rozmowę|истори\S* (?:чата|диалога|переписки)|konuşma geçmiş/,
  },
  {
    code: 'instructions',
    says: 'It has a script from the network run',
    points: 60,
    words: /\b(?:curl|wget|iwr)\b[^\n|]{0,80}\| ?(?:sudo )?(?:ba|z)?sh\b/,
  },
];

/** A quoted phrase is an example, even more so in a tool for security. */
const quotedShare = 0.5;
const quotedBySubject = 0.1;
/** A tool that finds attacks names them in its own words too. */
const namedBySubject = 0.5;

export function phrasesIn({ where, text, role }: ScannedText, { isSecurity, isAboutModels }: ToolSubject): Sign[] {
  const { said, quoted } = role === 'prose' ? saidAndQuoted(text) : { said: text, quoted: [] };
  const inside = quoted.join('\n');
  const isSample = role === 'sample' && (isSecurity || isAboutModels);
  return phrases.flatMap(({ code, says, points, words }) => {
    const own = !isSample && words.exec(folded(said));
    const hit = own || (inside === '' && !isSample ? null : words.exec(folded(isSample ? text : inside)));
    if (!hit) return [];
    const share = own ? (isSecurity ? namedBySubject : 1) : isSample || isSecurity ? quotedBySubject : quotedShare;
    return [{ code, kind: `phrase ${says}`, says, points: points * share, where, excerpt: around(hit) }];
  });
}

function around({ input, index, 0: found }: RegExpExecArray): string {
  return input.slice(Math.max(0, index - 30), index + found.length + 40);
}
