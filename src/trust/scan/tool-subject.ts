/** The subject of a tool, by its name and first sentence: a trait odd in one tool is the business of another. */

import type { Definition } from '../judgement.ts';
import { folded } from './fold-text.ts';
import { inWords } from './sentences.ts';

export interface ToolSubject {
  /** It deals with attacks, secrets or their detection, and quotes them. */
  readonly isSecurity: boolean;
  /** It deals with models, prompts or conversations. */
  readonly isAboutModels: boolean;
  /** It encodes, decodes or turns text around. */
  readonly isCodec: boolean;
  /** All that it says of itself at first: what is named here is its own business. */
  readonly text: string;
}

const security =
  /\b(?:injections?|attack|adversarial|jailbreak|red.?team|poison|malware|phish|exploit|vulnerab|threat|suspicious|malicious|forensic|breach|honeypot|guardrail|moderat|yara|leak|obfuscat|pentest|secrets?|credential|vault|canary|dlp|owasp|cve|audit|security|detect|sanitiz|lint|scan)/;
const models =
  /\b(?:prompts?|llms?|language model|completions?|models?|agents?|sub-?agents?|assistants?|conversations?|transcripts?|memor(?:y|ies)|remember|recall|thoughts?|thinking|reasoning|chat|dialog|persona|messages?)\b/;
const codecs =
  /\b(?:base ?(?:16|32|58|64|85)|hex|encod|decod|cipher|rot ?13|leet|morse|revers|jwt|encrypt|decrypt|hash|checksum|uuid|obfuscat|punycode|gzip|calldata|escape|unescape|binary|codec)/;

const firstSentence = /^[\s\S]{0,240}?(?:[.!?。！？\n]|$)/;

export function subjectOf({ name, title, description }: Definition, server: string): ToolSubject {
  const [named, titled, described] = [name, title, description].map((text) =>
    typeof text === 'string' ? text.slice(0, 2_000) : '',
  );
  const first = firstSentence.exec((described ?? '').trimStart())?.[0] ?? '';
  const text = folded(`${inWords(`${server} ${named}`)} ${titled}\n${first}`);
  return { text, isSecurity: security.test(text), isAboutModels: models.test(text), isCodec: codecs.test(text) };
}
