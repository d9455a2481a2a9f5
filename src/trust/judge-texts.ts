/** Judges what is new in the texts of a tool: deeds that it had not, and addresses that something goes to. */

import { addedSentences, splitSentences } from './added-text.ts';
import { advice, beforeVerb, type Deed, deedsDone, deedsNamed, denial, strangeVerbs } from './deeds.ts';
import type { Notice } from './judgement.ts';
import { credentials } from './parameters.ts';
import { isEnglish } from './scan/language.ts';
import { privatePlace } from './scan/private-data.ts';

export interface TextChange {
  readonly where: string;
  readonly before: string;
  readonly after: string;
  /** All that the definition said until now. */
  readonly known: string;
}

/** For a title or a description: what it tells of the tool. `done`: what it did until now. */
export function judgeDeeds({ where, before, after, known }: TextChange, done: ReadonlySet<Deed>): Notice[] {
  const [first] = splitSentences(after);
  const added = addedSentences(before, after)
    .map((sentence) =>
      sentence === first || denial.test(sentence) || advice.test(sentence) ? sentence : sentence.replace(order, 'you '),
    )
    .join('\n');
  // A title is chosen by: what was only spoken of is news there.
  const named = where === 'description' ? deedsNamed(known) : done;
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
  return toAddress
    ? [{ grade: 'risky', code: 'new-address', where, sentence: 'It names a new address that something goes to.' }]
    : [];
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
