/** Finds orders to read private files, and values that are private or lead to strangers, above all defaults. */

import { folded } from './fold-text.ts';
import { inWords } from './sentences.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';
import type { ToolSubject } from './tool-subject.ts';

/** Files and folders that hold keys, or the settings of agents. */
const place =
  '(?:(?:~|\\$home|%userprofile%|/(?:home|users)/\\w+|/root)[\\\\/])?(?:\\.ssh\\b|\\.aws\\b|\\.gnupg\\b|\\.netrc\\b|\\.pgpass\\b|\\.npmrc\\b|\\.kube\\b|\\.docker/config|\\.git-credentials|\\.bash_history|\\.zsh_history|\\.cursor/|\\.claude|claude_desktop_config|mcp\\.json|id_rsa|id_ed25519|wallet\\.dat|login data|logins\\.json|key4\\.db|cookies\\.sqlite|\\.config/(?:google-chrome|chromium|gh|gcloud)\\b|library/keychains|/etc/(?:passwd|shadow)|/proc/self/environ|credentials\\.json|terraform\\.tfstate|(?<![\\w*])\\.env\\b(?!\\.(?:example|sample|template)))';
export const privatePlace = new RegExp(place, 'i');

/** A sentence that denies something does not ask for it. */
const denies =
  /\b(?:not|never|no|don't|cannot|can't|without|refus\w*|reject\w*|den(?:y|ied|ies)|block\w*|forbid\w*|forbidden|exclud\w*|skip\w*|mask\w*|redact\w*|strip\w*|ignor\w*|removed?|unless|except)\b/;

export function privateData(scanned: ScannedText, subject: ToolSubject): Sign[] {
  const { role, side, owner } = scanned;
  if (role === 'prose' && owner === undefined) return byOrder(scanned, subject);
  return owner !== undefined && side === 'input' && (role === 'sample' || role === 'choice')
    ? byValue(scanned, subject)
    : [];
}

const handsOver =
  /\b(?:pass|put|attach|include|append|send|paste|upload|supply|quote|hand|forward|copy|submit|post)\b|\b(?:in|into|as|under) (?:the )?`?\w+`? ?(?:parameter|field|argument)/;

/** An order to look at something before the tool is used; a tool that reads by itself gives none. */
const fetches =
  /\b(?:you (?:must|should|need to|have to)|must|first|before|always|please|make sure)\b.{0,80}\b(?:read|open|cat|load|print|fetch|collect)\b|\b(?:read|open|cat|load|print|fetch|collect)\b.{0,80}\b(?:first|before)\b/;

/** Where a program looks by itself. */
const readsItself = /\b(?:comes?|taken|loaded|read) from\b|\bfalls? back\b|\bdefaults? to\b/;

/** An order to the model to fetch something private, or to hand it on. */
function byOrder({ where, text }: ScannedText, subject: ToolSubject): Sign[] {
  if (!privatePlace.test(text)) return [];
  const sentences = folded(text.slice(0, 8_000)).split(/(?<=[.!?;])\s+|\n+/);
  return sentences.flatMap((sentence, at): Sign[] => {
    const both = `${sentence} ${sentences[at + 1] ?? ''}`;
    // "…, and do not tell anybody" denies nothing.
    const clause = sentence.split(/[,;] (?:and|but|then) /).find((part) => privatePlace.test(part));
    if (clause === undefined || denies.test(clause)) return [];
    if ((!handsOver.test(both) || readsItself.test(sentence)) && !fetches.test(sentence)) return [];
    const says = 'It wants private files read or handed over';
    return [
      { code: 'secrets', kind: 'private order', points: subject.isSecurity ? 40 : 90, where, says, excerpt: sentence },
    ];
  });
}

/** Signs in a value that an agent may send as it is. */
function byValue({ where, text, owner }: ScannedText, subject: ToolSubject): Sign[] {
  const isDefault = /\.default(?:\.|$)/.test(where);
  const signal = (points: number, says: string): Sign[] => [
    { code: 'secrets', kind: 'private value', points, where, says, excerpt: text },
  ];
  if (privatePlace.test(text) && !/\s{2,}|\n/.test(text) && text.length < 300)
    return signal(45, 'A value points to a private file or folder');
  if (!isDefault) return [];
  const said = folded(inWords(owner ?? ''));
  const isSentOut =
    goesOut.test(said) || (target.test(said) && (goesOut.test(subject.text) || isPlaceForFiles.test(text)));
  if (strangerAddress.test(text) || (isSentOut && address.test(text) && !isHarmlessAddress.test(text)))
    return [
      {
        code: 'new-address',
        kind: 'sent to',
        points: 100,
        where,
        says: 'By default it sends something to an address',
        excerpt: text,
      },
    ];
  if (account.test(text)) return signal(100, "Its default is somebody's account");
  if (/^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+) [A-Za-z0-9+/=]{12,}/.test(text))
    return signal(100, "Its default is somebody's SSH key");
  if (
    /^(?:printenv|env)\b|^--(?:(?:extra-)?index-url|trusted-host|registry)\b|\$\(|\bcat ~|\$\{?(?:HOME|[A-Z_]*(?:TOKEN|KEY|SECRET|PASSWORD))\b/.test(
      text,
    )
  )
    return signal(100, 'Its default is a command or a secret of this machine');
  return [];
}

/** Parameters by which something leaves. */
const goesOut =
  /\b(?:bcc|cc|callback|webhook|report ?to|reply ?to|forward|mirror|copy ?to|notify|collector|telemetry|sink|upload|exfil|audit|relay|backup|beacon|archive)/;
const target = /\b(?:address|target|recipients?|destination|destino|ziel|bucket|to)$/;
const isPlaceForFiles = /^(?:s3|gs|mailto|s?ftp):/i;
const address = /\b[a-z0-9]{2,8}:\/\/|[\w.+-]+@[\w-]+\.\w/i;
/** A number in place of a name, outside of private networks. */
const strangerAddress =
  /\b[a-z0-9]{2,8}:\/\/(?:[^/@\s]*@)?(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.|224\.|239\.)\d{1,3}(?:\.\d{1,3}){3}\b/i;
/** A bank account or a wallet. */
export const account = /^[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}$|^0x[0-9a-f]{40}$|^(?:bc1|[13])[a-z0-9]{25,60}$/i;
const isHarmlessAddress = /localhost|127\.0\.0\.1|\bexample\.(?:com|org|net)\b/i;
