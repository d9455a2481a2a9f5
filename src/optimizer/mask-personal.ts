/** Masks personal data in a text that is to be kept: whatever has a form, and names that follow a cue or are common. Not every name can be known. */

import { mask, redactText } from '../base/redact.ts';

/** Common given names that are no everyday words. */
const givenNames =
  `aaron abigail adam ahmed alejandro alex alexander ali alice amanda amy ana andrea andreas andrew angela anna anne annie anthony antonio ashley barbara ben
  benjamin betty brandon brenda brian carlos carol caroline catherine charles charlotte chris christian christina christine christopher claire claudia cynthia
  daniel daniela david deborah dennis diana diego donald donna dorothy edward elena elizabeth emily emma eric erik fatima felix fernando florian francesca
  francisco frank gabriel george giulia giuseppe greg hannah hans heather heinz helen henry isabel isabella jack jacob james jane janet jan jason javier
  jean jeff jennifer jens jessica jim joan johannes john jonas jonathan jorge jose joseph joshua juan julia julie karen karl katharina katherine kathleen kevin
  kim klaus larry laura lauren leon li linda lisa louis lucas luis lukas maria marie mario mary matthew matthias max megan melissa michael michelle miguel
  mohamed mohammed monika nancy natalie nicholas nicole nina noah olga oliver olivia pablo pamela patricia patrick paul pedro peter petra philip pierre
  priya rachel ralf raj rebecca richard robert ronald ryan samantha samuel sandra sara sarah scott sebastian sergio sharon sofia sophia sophie stefan stephanie
  stephen steven susan susanne tanja thomas tim timothy tobias tom ursula uwe victoria vincent vladimir walter wang wei william wolfgang yusuf zhang`
    .split(/\s+/)
    .filter((name) => name !== '');

/** Words after a given name that are no family name. */
const afterName = `about and or to the a an of on in at for from with by is was has had that this when where who why how if then as`;

const title = `mr|mrs|ms|miss|mister|dr|doctor|prof|professor|herr|frau|señor|señora|monsieur|madame|dear`;
const cue = `my name is|i am called|name is|named|surname|lastname|firstname`;
const word = `[\\p{L}][\\p{L}'’-]*`;

/** Queries are short, so that none of these takes long. */
const shapes: readonly RegExp[] = [
  /(["“„«`])[^"”“»`]{1,200}["”“»`]/gu,
  /\b[a-z][a-z0-9+.-]{1,15}:\/\/\S+/giu,
  /[^\s@<>"',;:]+@[^\s@<>"',;:]+/gu,
  /(?<![\p{L}\p{N}.])@[\p{L}\p{N}_.-]{2,}/gu,
  /(?<=[/\\](?:home|users)[/\\])[^\s/\\]+/giu,
  /\b(?:[0-9a-f]{1,4}:){2,7}[0-9a-f]{1,4}\b/giu,
  /\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,4})?\b/giu,
  // Numbers of phones, cards, accounts, orders and people, dates of birth, addresses of machines.
  /(?<![\p{L}\p{N}])\+?\d(?:[\s()./-]{0,2}\d){4,}/gu,
  new RegExp(`(?<=\\b(?:${title})\\.? )(?!(?:${title})\\b)${word}(?: ${word})?`, 'giu'),
  new RegExp(`(?<=\\b(?:${cue}):? )${word}(?: ${word})?`, 'giu'),
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${givenNames.join('|')})(?![\\p{L}\\p{N}])(?: (?!(?:${afterName.replaceAll(' ', '|')})\\b)${word})?`,
    'giu',
  ),
];

/** Secrets too. */
export function maskPersonal(text: string): string {
  const masked = shapes.reduce((left, shape) => left.replace(shape, mask), redactText(text));
  return masked.replace(/\*\*\*(?:[\s,]*\*\*\*)+/g, mask);
}
