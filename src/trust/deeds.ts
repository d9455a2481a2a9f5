/** Finds what a text says a tool does, by the verbs in names, titles and sentences, in the languages servers use. */

import { splitSentences } from './added-text.ts';

/** Everything else is reading. */
export const deeds = ['writes', 'destroys', 'sends', 'pays', 'runs'] as const;
export type Deed = (typeof deeds)[number];

interface Verbs {
  /** Beginnings of English verbs. */
  readonly english: string;
  /** Parts of words of other languages. */
  readonly others: string;
}

const verbs: Readonly<Record<Deed, Verbs>> = {
  destroys: {
    english:
      'delet|remov(?!able)|eras|wip(?:e|ing)|purg|prun(?:e|ing)|destroy|truncat|drop(?:s|ped|ping)?\\b|uninstall|revok|terminat|overwrit|discard|unlink|clean(?:s|ed)?[ -]?up|clear(?:s|ed|ing)\\b|clear (?=the|all|an?|any|its|your)|reset|trash|shred|kill|cancel|deactivat|disabl|flush|unpublish|detach|evict',
    others:
      'lösch|entfern|zurücksetz|supprim|effac|elimin|borra|apaga|exclui|cancell|rimuov|удал|стира|очист|сброс|删除|清空|清除|移除|削除|消去|삭제|제거|초기화|siler|silin|silme|temizle|usuw|usuń|kasuj|حذف|مسح|हटा',
  },
  writes: {
    english:
      'creat|add(?:s|ed|ing)?\\b|insert|updat|edit(?:s|ed|ing)?\\b|modif|chang|sets\\b|writ(?:e|ing|ten)|sav(?:e|ing)|stor(?:es|ing)\\b|mov(?:e|ing)|renam|replac|patch(?:es|ed)|publish|merg|commit(?:s|ted|ting)\\b|push|assign|rais(?:e|ing)|install|deploy|restart|starts\\b|stops?\\b|enabl|approv|clos(?:es?\\b|ing)|locks\\b|unlock|switches\\b|registers\\b|archives?\\b|posts\\b|upload|resiz',
    others:
      'ändert|schreib|erstell|speicher|setzt|modifie|écri|crée|enregistre|cambia|escrib|guarda|altera|grava|scriv|salva|измен|запис|созда|сохран|写入|修改|创建|更新|保存|変更|書き込|作成|保存|변경|생성|저장|değiştir|yazar|kaydet|zmieni|zapis|utwor|إنشاء|تعديل|बना|बदल',
  },
  sends: {
    english:
      'send|sent\\b|forward|e?-?mails?\\b|mailed|shar(?:e|ing)|mirror|transmit|submit|notif|relay|broadcast|deliver|sync|disclos|leav(?:e|es|ing)\\b|export|stream',
    others:
      'schick|sendet|gesendet|übermittel|weitergeleit|(?<!r)envo[iy]|transmet|envía|enviar|envia|invia|spedi|отправ|переда|发送|转发|上传|送信|転送|전송|보내|gönder|(?<!\\p{L})ilet|wysył|wysła|إرسال|أرسل|भेज',
  },
  pays: {
    english:
      'charg|pay(?:s|ing|ment)?\\b|paid\\b|buy|bought|purchas|order(?:s|ed)?\\b|transfer|book(?:s|ed)\\b|book (?=an?\\b|the|your|it)|bill(?:s|ed)?\\b|subscrib|withdraw',
    others:
      'bezahl|kauft|überweis|paie|payer|achète|paga|compra|оплат|покуп|支付|购买|付款|購入|支払|결제|구매|(?<!\\p{L})öde|satın|płac|(?<!\\p{L})kup|دفع|شراء',
  },
  runs: {
    english: 'run(?:s|ning)?\\b|execut|eval(?:uat|s)|launch|spawn|invok',
    others:
      'führt|ausführ|ausgeführt|exécut|ejecut|esegu|выполн|запуска|执行|运行|実行|실행|çalıştır|uruchom|wykonu|تنفيذ|شغّل|चलाता',
  },
};

/** Words before a verb that leave it the tool's own deed; "apply" is a verb itself. */
export const beforeVerb = 'also|then|now|next|later|and|it|\\w+[^p\\W]ly';
/** English verbs count where a sentence says what is done: at its beginning, after another verb, in the passive; "changed files" are none. */
const active = `(?:^[^\\p{L}]*(?:(?:${beforeVerb}|this tool|bulk|tool to|used to|use to) )*|[,;:] (?:and |then |also |or )?|\\(|\\b(?:and|then|also|or|to|will|can|may|now) (?:then |also |permanently |automatically )?)(?!\\w{3,}ed\\b)`;
/** Other deeds may stand before it: "are read, copied and removed"; a sentence that begins with "and" goes on with the one before. */
const passive =
  '(?:\\b(?:is|are|was|were|be|been|being|gets?|has|have)|^[^\\p{L}]*(?:and|then|also)) (?:(?:\\w+(?:ly|ed|en)|read|sent|kept|made|found|shown|then|also|now|not?|and|or),? ){0,6}';
const patterns = new Map(
  deeds.map((deed) => {
    const { english, others } = verbs[deed];
    return [
      deed,
      {
        done: new RegExp(`(?:${active}|${passive})(?:${english})`, 'iu'),
        named: new RegExp(`\\b(?:${english})|${others}`, 'iu'),
        others: new RegExp(others, 'iu'),
      },
    ] as const;
  }),
);

/** A sentence that denies a deed does not count. */
export const denial =
  /\b(?:not(?! only)|never|no(?! (?:confirmation|approval|consent|prompt|questions?)\b)|nothing|none|without (?!asking|telling)\w+ing|don't|doesn't|cannot|can't|isn't|won't|only reads?|read-only|refus\w+|reject\w+|denied|forbid\w*|blocked|instead of)\b|nicht|niemals|kein|\bne\b|\bjamais\b|\bsin\b|\bnunca\b|\bnão\b|\bnon\b|\bсо?\b не |\bне\b|不会|不得|ません|ない|않/i;

/** Advice to whoever calls the tool, and what becomes of the tool itself, tell no deed; names in marks are other tools. */
export const advice =
  /^[^\p{L}]*(?:use|when|if|for|before|after|set|give|call|pass|ask|advise|prefer|do|see|note|please|make sure|ensure|tip|warning|example|deprecated|calling)\b|\bdeprecated\b|will be removed|(?:was|were|been) removed (?:in|since) |removed from the (?:text|results?|answer|output|response)|(?:written|recorded|kept) (?:to|in) the (?:audit )?log/iu;

/** A verb of the tool itself in such a sentence: "When done, deletes the notes." */
const besideAdvice = new RegExp(
  `(?<=[,:] |\\bthat (?:this|the) tool |\\bthat (?=it )|\\bthat this )(?:(?:${beforeVerb}) ){0,3}\\w+s (?=(?:it|them|its|their|the|this|that|an?|each|all|every|any|your|those|these)\\b)`,
  'giu',
);

/** Deeds that a text tells of, sentence by sentence. */
export function deedsDone(text: string): ReadonlySet<Deed> {
  const said = splitSentences(text)
    .filter((sentence) => !denial.test(sentence))
    .flatMap((sentence) => (advice.test(sentence) ? (sentence.match(besideAdvice) ?? []) : [sentence]))
    .map((sentence) => sentence.replace(/`[^`]{1,80}`|\b\w+_\w+\b/g, ''));
  return new Set(deeds.filter((deed) => said.some((sentence) => isDone(deed, sentence))));
}

function isDone(deed: Deed, sentence: string): boolean {
  const pattern = patterns.get(deed);
  return pattern !== undefined && (pattern.done.test(sentence) || pattern.others.test(sentence));
}

/** Deeds that it mentions in any way but to deny them: what was spoken of is no news. */
export function deedsNamed(text: string): ReadonlySet<Deed> {
  const said = splitSentences(text)
    .filter((sentence) => !denial.test(sentence))
    .join('\n');
  return new Set(deeds.filter((deed) => patterns.get(deed)?.named.test(said)));
}

/** Beginnings of verbs that say how a tool reads, answers and is used; none of them does anything to what is read. */
const plainVerbs =
  /^(?:accept|access|act|address|aggregat|allow|analy|answer|appear|appl|arriv|assess|assum|audit|automat|begin|belong|browse|cach|calculat|can|captur|check|choos|cit|classif|collect|combin|come|compar|comput|consider|contain|convert|convey|correspond|cost|count|cover|cut|decod|default|defin|depend|describ|detect|diagnos|differ|display|do|download|enabl|encod|end|enumerat|estimat|evaluat|exist|expand|expect|explain|extract|fall|fetch|filter|find|follow|format|generat|get|giv|group|handl|happen|has|hav|help|highlight|hold|identif|ignor|includ|indicat|inspect|join|keep|know|last|lie|limit|link|lint|list|load|log|look|make|map|mark|match|may|mean|measur|monitor|name|navigat|need|normali|offer|open|order|output|pars|pass|perform|pick|point|predict|prefer|preview|print|produc|provid|quer|quot|rank|read|recommend|record|refer|reflect|relat|remain|render|report|represent|requir|resolv|respect|respond|retriev|return|review|round|run|say|scan|search|see|select|serv|show|simulat|skip|sort|specif|split|stand|start|stay|stor|suggest|sum|support|tak|tell|test|total|trac|translat|trim|truncat|us(?:e|ing)|validat|var|verif|view|wait|walk|want|watch|will|work|wrap|execut|invok|leav|fact|surfac|pull|grab|peek|spot|locat|pinpoint|enrich|batch|pair|bundl|drill|narrow|broaden|break|draw|plot|spell|sketch|turn|unpack|zoom|tally|rat(?:e|es|ing)\b|scor|gather|crawl|scrap|jump|poll|ping|prob(?:e|es|ing)\b|sampl|sift|skim|dig|paginat|page|stream|tabulat|weigh)/i;
const firstVerb =
  /^[^\p{L}]*([A-Z][a-z]{2,})\b (?!(?:is|are|was|were|of|for|has|have|must|can|may|will|that|which|and|with|by|from|in|to|tools?|api)\b)/u;
const furtherVerbs =
  /(?:,| and| then|;) (?:also |then )?([a-z]{3,}s)\b (?=(?:it|them|its|their|the|this|that|an?|each|all|every|any|what|which|to|up|out|down|off|on|one|you|your|him|her|those|these|no|new)\b)/g;

/** The first verb of an English description of a tool that reads, and verbs beside others, that are neither plain nor in `known`. */
export function strangeVerbs(description: string, known: string): string[] {
  const said = known.toLowerCase();
  const first = firstVerb.exec(description)?.[1];
  const verbs = [
    ...(first === undefined ? [] : [first]),
    ...[...description.matchAll(furtherVerbs)].map(([, verb]) => verb),
  ];
  return verbs
    .map((verb = '') => verb.toLowerCase())
    .filter((verb) => !plainVerbs.test(verb) && !said.includes(verb.slice(0, Math.max(4, verb.length - 3))));
}
