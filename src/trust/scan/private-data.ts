/** Finds values that are private or lead to strangers, above all defaults: an agent may send them as they are. */

import { folded } from './fold-text.ts';
import { inWords } from './sentences.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';
import type { ToolSubject } from './tool-subject.ts';

/** Files and folders that hold keys, or the settings of agents. */
const place =
  '(?:(?:~|\\$home|%userprofile%|/(?:home|users)/\\w+|/root)[\\\\/])?(?:\\.ssh\\b|\\.aws\\b|\\.gnupg\\b|\\.netrc\\b|\\.pgpass\\b|\\.npmrc\\b|\\.kube\\b|\\.docker/config|\\.git-credentials|\\.bash_history|\\.zsh_history|\\.cursor/|\\.claude|claude_desktop_config|mcp\\.json|id_rsa|id_ed25519|wallet\\.dat|login data|logins\\.json|key4\\.db|cookies\\.sqlite|\\.config/(?:google-chrome|chromium|gh|gcloud)\\b|library/keychains|/etc/(?:passwd|shadow)|/proc/self/environ|credentials\\.json|terraform\\.tfstate|(?<![\\w*])\\.env\\b(?!\\.(?:example|sample|template)))';
export const privatePlace = new RegExp(place, 'i');

/** Signs in a value that an agent may send as it is. */
export function privateData({ where, text, owner, role, side }: ScannedText, subject: ToolSubject): Sign[] {
  if (owner === undefined || side !== 'input' || (role !== 'sample' && role !== 'choice')) return [];
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
