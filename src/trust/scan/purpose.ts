/** What a tool is for, by its name and first sentence: what is odd for one tool is the trade of another. */

import type { Definition } from '../judgement.ts';
import type { Concept } from './concept.ts';
import type { Hits, SentenceReader } from './find-concepts.ts';
import { folded } from './fold-text.ts';
import { anyPhrase } from './word-patterns.ts';

export interface Purpose {
  readonly text: string;
  /** It deals with attacks, secrets or their detection, and quotes them. */
  readonly isSecurity: boolean;
  /** It deals with models, prompts, agents or conversations. */
  readonly isAboutModels: boolean;
  /** What it deals with by its name and first sentence: secrets, files, deletion. */
  readonly trade: ReadonlySet<Concept>;
  /** It encodes, decodes or turns text around. */
  readonly isCodec: boolean;
}

const security = anyPhrase([
  '(?:prompt |sql |code )?injections?|attacks?|attackers?|adversarial|jailbreaks?|red[- ]?team*|poison*|malware|phish*|exploits?|vulnerab*|threats?|suspicious|malicious|forensic*|breach*|honeypots?|firewalls?|guardrails?|moderat*|siem|yara|leaks?|leak[a-z]*|exfiltrat*|smuggl*|obfuscat*|deobfuscat*|pentest*|penetration test*|secret scann*|scann* for secrets|secrets?|canary|canaries|waf|dlp|owasp|cve|benchmark|signatures?|guard|compliance|polic(?:y|ies)|audits?|security|detections?|detects?|sanitiz*|invisible|lint*',
]);
const models = anyPhrase([
  'prompts?|llms?|language models?|chat completions?|models?|agents?|sub-?agents?|assistants?|conversations?|transcripts?|memor(?:y|ies)|remember|recall|thoughts?|thinking|reasoning|chat|dialog*|completion|tokens|persona|instructions|follow-up|few-shot|embedding|messages',
]);
const codecs = anyPhrase([
  'base ?(?:16|32|58|64|85)|hex|hexdump|encod*|decod*|cipher|rot ?13|leet|morse|revers*|jwt|encrypt*|decrypt*|hash*|checksums?|uuid|ids?|obfuscat*|url ?safe|percent|quoted-printable|punycode|gzip|calldata|armou?r|escape|unescape|binary|codec',
]);
const firstSentence = /^[\s\S]{0,240}?(?:[.!?。！？\n]|$)/;

/** Where a first sentence has one of these, it is no description of a trade. */
const orders: readonly Concept[] = [
  'secrecy',
  'override',
  'role',
  'addressed',
  'obey',
  'unasked',
  'decode',
  'hush',
  'hand-over',
  'deceit',
  'pre-empts',
];
const trades: readonly Concept[] = [
  'secret',
  'private-file',
  'home-file',
  'person',
  'danger',
  'harm',
  'others',
  'memory',
];

export function purposeOf(definition: Definition, server: string, reader: SentenceReader): Purpose {
  const described = textOf(definition.description).trimStart();
  const first = firstSentence.exec(described)?.[0] ?? '';
  const words = [server, textOf(definition.name), textOf(definition.title)]
    .join(' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  const text = folded(`${words.replace(/[_./:-]+/g, ' ')}\n${first}`);
  const [named = '', said = ''] = text.split('\n');
  const trade = new Set([...tradesIn(reader.read(named)), ...tradesIn(reader.read(said))]);
  return {
    text,
    isSecurity: security.test(text),
    isAboutModels: typeof definition.instructions === 'string' || models.test(text),
    trade,
    isCodec: codecs.test(text),
  };
}

function tradesIn(hits: Hits): Concept[] {
  return orders.some((concept) => hits.has(concept)) ? [] : trades.filter((concept) => hits.has(concept));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 2_000) : '';
}
