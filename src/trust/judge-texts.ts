/** Judges what is new in the texts of a tool: deeds that it had not, and addresses that something goes to. */

import { addedSentences, splitSentences } from './added-text.ts';
import { advice, beforeVerb, type Deed, deedsDone, deedsNamed, denial, strangeVerbs } from './deeds.ts';
import type { Notice } from './judgement.ts';
import { credentials, parameterWords } from './parameters.ts';
import { isEnglish } from './scan/language.ts';
import { privatePlace } from './scan/private-data.ts';

export interface TextChange {
  /** The tool's name on its server. */
  readonly name: string;
  readonly where: string;
  readonly before: string;
  readonly after: string;
  /** All that the definition said until now. */
  readonly known: string;
}

/** For a title or a description: what it tells of the tool. `done`: what it did until now. */
export function judgeDeeds({ name, where, before, after, known }: TextChange, done: ReadonlySet<Deed>): Notice[] {
  const [first] = splitSentences(after);
  const added = addedSentences(before, after)
    .map((sentence) =>
      sentence === first || denial.test(sentence) || advice.test(sentence) ? sentence : sentence.replace(order, 'you '),
    )
    .join('\n');
  // A title is chosen by: what was only spoken of is news there.
  const named = where === 'description' ? deedsNamed(known) : done.union(deedsNamed(parameterWords(name)));
  const canAll = done.has('runs') && shell.test(known);
  const isNew = (deed: Deed) => !named.has(deed) && (deed === 'destroys' || deed === 'pays');
  const isForGood = irrevocable.test(added) && !irrevocable.test(known) && !done.has('destroys') && !done.has('sends');
  const found = [...deedsDone(added)].find(isNew) ?? (isForGood ? 'destroys' : undefined);
  return found === undefined || canAll
    ? []
    : [{ grade: 'risky', code: 'deed', where, sentence: `It ${found} something now, and did not before.` }];
}

/** For the description of a tool that only read until now: a verb that is no way of reading is news, whichever it is. */
export function judgeReader({ where, before, after, known }: TextChange): Notice[] {
  const [found] = before !== '' && isEnglish(before) && isEnglish(after) ? strangeVerbs(after, known) : [];
  return found === undefined
    ? []
    : [
        {
          grade: 'risky',
          code: 'deed',
          where,
          sentence: `It only read until now, and its description has a new verb: “${found}”.`,
        },
      ];
}

/** Words that skip the question to a person. */
export const skipsApproval =
  /\b(?:skip\w*|bypass\w*|without|omit\w*|suppress\w*|overrid\w*|leaves? out|no (?:more |further )?|ignor\w*|instead of)\b[^.;]{0,40}\b(?:confirm\w*|approv\w*|dialogs?|prompts?|signatures?|consent|permissions?|sign-?off|four[- ]eyes|asking|questions?|second person|authori[sz]ation|review(?:er|s)?)\b|(?:ohne|überspring\w*)[^.;]{0,30}(?:bestätigung|freigabe|rückfrage|unterschrift|genehmigung)|sans[^.;]{0,30}(?:confirmation|approbation|validation|accord)|sin[^.;]{0,30}(?:confirmaci|aprobaci|autorizaci)|(?:跳过|无需|免)[^。]{0,12}(?:确认|审批|批准)|(?:確認|承認)[^。]{0,8}(?:なし|省略|スキップ|不要)/i;

/** Words for data that stays: kept, used to train, passed on. */
const keeps =
  /\b(?:kept|keeps?|stored|stores?|retain\w*|archiv\w*|record(?:ed|s)|saved?|logg?(?:ed|s)|used|help\w*|shar(?:ed|es|ing)|passed (?:on|to)|sold|made available|transferred|analy[sz]ed)\b[^.;]{0,80}\b(?:training|train (?:our|the|its|their|ai|models?|new)|improv\w* (?:our|the|its|services?|products?)|research|partners?|third[- ]part\w*|insurers?|advertis\w*|marketing|indefinite\w*|permanently|forever|affiliates?|\d+ (?:days|weeks|months|years))\b|(?:gespeichert|aufbewahrt|genutzt|verwendet|weitergegeben|geteilt)[^.;]{0,60}(?:training|verbesser|partner|dritte|werbung|\d+ (?:tage|monate|jahre))|(?:training|verbesser\w*|partner\w*|dritte\w*|werbung)[^.;]{0,40}(?:gespeichert|aufbewahrt|genutzt|verwendet|weitergegeben|geteilt)|(?:conserv|stock|partag|utilis)[^.;]{0,60}(?:entra[iî]n|amélior|partenaire|tiers|\d+ (?:jours|mois|ans))|(?:conserv|guard|almacen|compart|utiliz)[^.;]{0,60}(?:entren|mejor|socios|terceros|\d+ (?:días|meses|años))|(?:保存|保留|存储|用于|共享)[^。]{0,20}(?:训练|改进|合作|第三方|\d+ ?(?:天|个?月|年))|(?:保存|保管|利用|共有)[^。]{0,20}(?:学習|改善|提携|第三者)|(?:学習|改善|提携先|第三者)[^。]{0,20}(?:保存|利用|共有|提供)/i;

/** For any text: data is newly kept or passed on. */
export function judgeKeeping({ where, before, after, known }: TextChange): Notice[] {
  const added = addedSentences(before, after).filter((sentence) => !denial.test(sentence));
  return added.some((sentence) => keeps.test(sentence)) && !keeps.test(known)
    ? [{ grade: 'risky', code: 'new-address', where, sentence: 'It now keeps data or passes it on.' }]
    : [];
}

/** For any text: a limit was removed, or raised so far that it limits nothing. */
export function judgeLimit({ where, before, after }: TextChange): Notice[] {
  const old = isMoney.test(before) ? limitIn(before) : undefined;
  if (old === undefined) return [];
  const now = limitIn(after);
  const isGone = now === undefined || noLimit.test(after) || now >= farGrowth * Math.max(1, old);
  return isGone
    ? [{ grade: 'risky', code: 'wider', where, sentence: 'A limit on an amount was removed or raised a lot.' }]
    : [];
}

/** A limit that grows by this factor limits nothing. */
export const farGrowth = 10;

const limited =
  /\b(?:at most|up to|maximum|max\.?|limit\w*|ceiling|cap(?:ped)?|no more than|not exceed\w*|above|over|more than|höchstens|maximal|bis zu|grenze|plafond|maximum|au plus|jusqu'à|máximo|hasta|límite|tope)\b[^.;\d]{0,30}(\d[\d.,' ]*)|(?:最多|上限|不超过|最大)[^。\d]{0,10}(\d[\d.,]*)|(\d[\d.,]*) ?(?:円|ドル|元)?(?:まで|以下|を上限)/i;
const noLimit =
  /\b(?:no|without(?: any)?|any|un)[ -]?(?:\w+ )?(?:limit\w*|ceiling|cap|maximum|amount|plafond)\b|\bunlimited\b|(?:ohne|keine?) (?:\w+ )?(?:grenze|limit|obergrenze)|(?:sans|aucun) (?:\w+ )?(?:plafond|limite)|sin (?:\w+ )?(?:límite|tope)|无上限|不限|上限なし|無制限/i;
const isMoney =
  /[€$£¥₹]|\b(?:eur|usd|gbp|chf|jpy|euros?|dollars?|pounds?|francs?|yen|amounts?|currency|balance|budget|payments?|transfers?|spend\w*|refunds?|betrag|beträge|zahlung\w*|montant|paiement|importe|pagos?)\b|金额|支付|元|円|金額|支払/i;

/** The number of the first limit in a text. */
function limitIn(text: string): number | undefined {
  const found = limited
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  const value =
    found === undefined ? Number.NaN : Number(found.replace(/[.,' ](?=\d{3}\b)/g, '').replace(/[., ']+$/, ''));
  return Number.isFinite(value) ? value : undefined;
}

/** A bare verb after the first sentence tells the caller what to do. */
const order = new RegExp(`^[^\\p{L}]*(?!(?i:${beforeVerb}) )\\p{Lu}\\p{Ll}*[^s\\W] `, 'u');

/** A tool that runs commands can do anything. */
const shell = /\b(?:shell|bash|commands?|terminal)\b|polecen|befehl|commande|comando|команд|命令|コマンド|명령/i;

export const irrevocable =
  /\b(?:cannot|can't|can not) be (?:undone|reversed|restored|taken back)|irreversibl|irrevocabl|kann nicht rückgängig|irréversible|irreversible|необратим|不可(?:恢复|撤销)|元に戻せ/i;

const secret =
  /\b(?:passwords?|passphrases?|api[ _-]?keys?|credentials|private keys?|ssh keys?|(?:access|auth|bearer|session|refresh)[ _-]?tokens?|cookies|seed phrase|card numbers?|one-time codes?|environment variables)\b/i;
const wants =
  /\b(?:send|forward|include|attach|append|pass|put|provide|give|supply|enter|paste|submit|expects?|requires?|needs?|takes|reads?|collects?|asks? for)\b/i;

/** For any text: something private, or a private place, where nothing of the kind was spoken of until now. */
export function judgeWants({ where, before, after, known }: TextChange): Notice[] {
  const added = addedSentences(before, after).filter((sentence) => !denial.test(sentence));
  const isAsked = added.some((sentence) => wants.test(sentence) && secret.test(sentence)) && !credentials.test(known);
  const isPlace = added.some((sentence) => privatePlace.test(sentence)) && !privatePlace.test(known);
  return isAsked || isPlace
    ? [{ grade: 'risky', code: 'secrets', where, sentence: 'It asks for something private now.' }]
    : [];
}

/** For any text: where something goes. */
export function judgeDestinations({ where, before, after, known }: TextChange): Notice[] {
  const added = addedSentences(before, after).filter((sentence) => !denial.test(sentence) || address.test(sentence));
  const said = known.toLowerCase();
  const isNew = (sentence: string) =>
    (sentence.match(addresses) ?? []).some((found) => !said.includes(hostOf(found)) && !anybodys.test(found));
  // Only English words of something that goes somewhere are known.
  const isForeign = !isEnglish(after.toLowerCase());
  // Parameters often take an address.
  const leads = where.includes('Schema') ? sentOut : goes;
  const toAddress = added.some(
    (sentence) =>
      isNew(sentence) &&
      (!isReference.test(sentence) || sentTo.test(sentence)) &&
      (leads.test(sentence) || bareNumber.test(sentence) || isForeign),
  );
  return toAddress || isElsewhere(before, after)
    ? [{ grade: 'risky', code: 'new-address', where, sentence: 'It names a new address that something goes to.' }]
    : [];
}

/** True if a strange host replaced another one, with or without a scheme. `api.shop.com` and `cdn.shop.com` have one owner. */
function isElsewhere(before: string, after: string): boolean {
  const housesIn = (text: string) =>
    splitSentences(text)
      .filter((sentence) => !isReference.test(sentence))
      .flatMap((sentence) => sentence.match(hosts) ?? [])
      .filter((host) => !anybodys.test(host))
      .map(houseOf);
  const [old, now] = [new Set(housesIn(before)), new Set(housesIn(after))];
  return old.size > 0 && [...now].some((house) => !old.has(house)) && [...old].some((house) => !now.has(house));
}

const hosts =
  /(?<![\w@/.-])(?:[a-z0-9][a-z0-9-]{0,40}\.){1,8}(?:com|net|org|io|dev|app|cc|ru|cn|biz|info|xyz|top|fyi|support|cloud|ai|co|site|online|jp|de|fr|eu|uk|pl|kr|br|us|ca|ch|at|nl|es|se|fi|dk|cz|ro|ua|tr|hk|tw|tv|gg|su|pw|ws|tk|tech|store|shop|link|live|host|page|network|services|systems|digital|zone|click|space|website|example|internal|local)\b|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/gi;

/** The part of a host that one owner has. */
function houseOf(host: string): string {
  if (/^[\d.]+$/.test(host)) return host;
  const labels = host.toLowerCase().split('.');
  const isTwice = /^(?:co|com|net|org|ac|gov)$/.test(labels.at(-2) ?? '') && labels.at(-1)?.length === 2;
  return labels.slice(isTwice ? -3 : -2).join('.');
}

/** A number in place of a name. */
const bareNumber = /:\/\/\d+\.\d+\.\d+\.\d+/;
const address =
  /(?:https?|wss?|s?ftp|tftp|ssh|s3|gs):\/\/[^\s"'<>`)\]]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|\b(?:[a-z0-9-]{2,40}\.){1,8}(?:com|net|org|io|dev|app|cc|ru|cn|biz|info|xyz|top|fyi|support|cloud|ai|me|co|site|online|jp|de|fr|eu|uk|pl|kr|br|example)\b/i;
const addresses = new RegExp(address.source, 'gi');
/** Hosts that stand for any, and those that documents link to. */
const anybodys =
  /localhost|127\.0\.0\.1|example\.(?:com|org|net)|json-schema\.org|w3\.org|schema\.org|ietf\.org|wikipedia\.org|docs?\./i;
const isReference = new RegExp(
  `\\b(?:see|docs?|documentation|reference|learn more|read more|guide|e\\.g\\.|for example|such as|format|spec(?:ification)?|described (?:at|in)|terms|licen[cs]e)\\b|\\b(?:create|obtain|get|find|register)(?: \\w+){0,2} (?:at|on|under) (?:${address.source})`,
  'i',
);
/** Something goes to the address itself, whatever else the sentence refers to. */
const sentTo = new RegExp(
  `\\b(?:sen[dt]|forward|upload|mirror|transmit|post|cop(?:y|ies|ied)|deliver|relay|stream|report|sync|push|submit)\\w*\\b.{0,80}\\bto (?:${address.source})`,
  'i',
);
/** Words of something that goes somewhere; an address of a person alone says as much. */
const goes =
  /@|\b(?:sen[dt]s?|sending|cop(?:y|ies|ied)|mirror\w*|forward\w*|upload\w*|back(?:ed|s)?[ -]?up|report\w*|post(?:s|ed)?|push\w*|deliver\w*|sync\w*|log(?:s|ged)|goes|leaves?|told|shared?|stream\w*|relay\w*|submit\w*|also|via|through|at)\b|发送|上传|送信|전송|отправ|envoy|envi|send|invia|sped|gönder|wysył/i;
const sentOut = /\b(?:sent|sends|cop(?:y|ies|ied)|mirrored|forwarded|uploaded|reported|posted|delivered)\b/i;

function hostOf(found: string): string {
  return (/^\w+:\/\/([^/?#]+)/.exec(found)?.[1] ?? found).toLowerCase();
}
