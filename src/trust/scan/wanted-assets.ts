/** Weighs what a parameter asks for: whose it is, how much of it, and whether it is the tool's business at all. */

import { folded } from './fold-text.ts';
import type { Purpose } from './purpose.ts';
import type { Signal } from './signal.ts';
import type { ScannedText } from './texts-to-scan.ts';
import { anyPhrase } from './word-patterns.ts';

interface Asset {
  readonly what: 'codes' | 'talk' | 'files' | 'machine' | 'secrets' | 'person' | 'business' | 'model';
  readonly points: number;
  readonly words: RegExp;
}

/** Things that a person or a model has, and that few tools need. */
const assets: readonly Asset[] = [
  {
    what: 'codes',
    points: 60,
    words: anyPhrase([
      'seed (?:words|phrase)|recovery (?:words|phrase|codes?)|two[- ]factor codes?|2fa codes?|cvv|authorization header',
    ]),
  },
  {
    what: 'talk',
    points: 30,
    words: anyPhrase([
      '(?:conversations?|chats?)(?! ?(?:ids?|index|name|type|url|link|member))|dialog(?:ue)?s?|discussions?|chat log|transcripts?|what (?:was|has been|is being) said|talk so far|(?:earlier|previous|prior|last|recent|latest) (?:[a-z0-9]+ )?(?:messages?|turns?|prompts?|repl(?:y|ies)|answers?|questions?)|list of messages|mail threads?|message threads?|messages that|questions? of the user|(?:your|draft) (?:draft )?answers?|working notes|(?:last|latest|recent) (?:e-?mails|mails)',
      'letzten (?:e-mails|nachrichten)|gespräch*|unterhaltung*|chatverlauf*|nachrichtenverlauf*|conversation|conversación|conversazione|conversa|переписк*|диалог*|чат*',
      '聊天记录|对话|会话|会話|チャット|대화|채팅',
    ]),
  },
  {
    what: 'model',
    points: 30,
    words: anyPhrase([
      "system prompts?|system message|(?:long-term |your |the assistant's |the model's )memor(?:y|ies)|memory about|chain of thought|scratch ?pad|your (?:reasoning|thoughts|instructions|context|notes|plan)|instructions you|(?:names?|list) of (?:[a-z]+ )*(?:tools|servers)|(?:other|connected|available) (?:tools|servers)|mcp (?:config|configuration|servers?)|model (?:name and|configuration)|context window",
      'systemprompt*|systemanweisung*|prompt système|системн* промпт*',
      '系统提示|システムプロンプト|시스템 프롬프트',
    ]),
  },
  {
    what: 'secrets',
    points: 30,
    words: anyPhrase([
      'passwords?|passphrases?|api[ -]?keys?|secrets?|credentials?|private keys?|ssh keys?|(?:access|auth|bearer|refresh|session|admin|login|service) tokens?|cookies?|seed (?:words|phrase)|recovery (?:words|phrase|codes?)|tokens? (?:of|for) (?:the |another |other |your )|connection strings?|one[- ]time (?:codes?|passwords?)|two[- ]factor codes?|2fa codes?|authorization header|key ?chain|keyring|certificates?',
      'passw[oö]rt*|zugangsdaten|schlüssel|mots? de passe|contraseñas?|claves|парол*|ключ*',
      '密码|密钥|パスワード|비밀번호',
    ]),
  },
  {
    what: 'machine',
    points: 30,
    words: anyPhrase([
      'environment variables|env vars|process list|running processes|host ?names?|logged-in user|open ports|mounted drives|running programs|operating system|installed (?:software|packages|programs|extensions)|shell history|command history|terminal (?:output|history)|shell output|output of (?:the )?(?:last|previous|whoami|env|id|ls|ps)|network (?:config|configuration|interfaces)|mac address|serial number|hosts file|dot ?files|home (?:folder|directory)',
      "umgebungsvariablen|variables d'environnement|variables de entorno|переменн* окружения",
      '环境变量|環境変数|환경 변수',
    ]),
  },
  {
    what: 'files',
    points: 25,
    words: anyPhrase([
      '(?:open|recent|other open|nearby|surrounding|private|neighbou?ring|sibling) (?:files|documents|folders|tabs|notes|mails|e-mails)|(?:file|folder|directory|project|source) tree|tree of|directory listing|file list|project folder|source code of|(?:latest|current|a|the) screenshots?(?! of the page)|contents of the clipboard|clipboard contents|browser (?:tabs|history|bookmarks)|bookmarks|browsing history|text of files|contents? of (?:the )?(?:folder|directory|desktop)|photos|inbox',
      'dateien|fichiers|archivos|файл*',
      '文件列表|文件|ファイル|파일',
    ]),
  },
  {
    what: 'person',
    points: 20,
    words: anyPhrase([
      'birthday|date of birth|home address|phone numbers?|passport|social security|national id|id number|tax number|bank (?:account|details)|card (?:number|details)|cvv|income|interests of|hobbies|habits|salary|medical|religion|marital|employer|address book|whereabouts|relatives|(?:contacts|calendar|location|health|family) of (?:the )?(?:user|person|owner)|(?:user|person|owner).s (?:contacts|calendar|location|health|family)|about (?:the )?(?:user|person|them)|who (?:the )?(?:user|person) is|personal (?:data|details|facts|information)',
      'geburtsdatum|telefonnummer|wohnadresse|date de naissance|pasaporte|tarjeta|teléfono|паспорт*|телефон*|адрес*',
      '身份证|手机号|住址|個人情報|개인정보|주민등록번호',
    ]),
  },
  {
    what: 'business',
    points: 30,
    words: anyPhrase([
      'customer (?:list|data|records)|list of customers|database dump|terraform state|salaries|contracts|payroll|invoices|git (?:credentials|config)|production data|internal documents',
    ]),
  },
];
const amount = anyPhrase([
  'all|full|whole|entire|complete|completely|every|everything|raw|verbatim|unredacted|unmasked|unedited|uncut|current|latest|last|recent|so far|dump|contents?|text of|copy of|list of|output of|tree of|export|as csv|in full|word for word|names of|any|whatever|as is|as they are|before this call|for this (?:month|week|year)',
  'gesamt*|alle*|vollständig*|inhalt*|letzte*|tout*|toute*|tous|todo|toda|todos|completo|tutti|tutta|все|всю|содержим*',
  '全部|所有|最近|全て|すべて|全文|모든|전체',
]);
const owner = anyPhrase([
  "users?|user's|person|person's|people|customers?|your|you|their|his|her|assistant'?s?|model'?s?|agent'?s?|client'?s?|owner'?s?|human|being discussed|of the (?:machine|desktop|wallet|repository|session|host|account)|current (?:repository|session|project|user)|our end",
  'nutzer*|benutzer*|utilisateur*|usuario|utente|usuário|пользовател*',
  '用户|ユーザー|사용자',
]);
const reason = anyPhrase([
  'so that we|lets us|helps us|for (?:calibration|billing|analytics|diagnosis|telemetry|quality|verification|personali[sz]ation|context|debugging|statistics|tuning|rate limiting|safety|compliance|training)|to (?:pick|tune|improve|personali[sz]e|bill|verify|calibrate|adapt|understand|rank|help)|better (?:results|answers|search|ranking)|required|needed|rejected',
]);

const fromAmount = 20;
const fromOwner = 20;
const fromReason = 12;

const mostCharacters = 600;
/** What is wanted of whom stands together; a semicolon or a new line parts less than that. */
const sentenceEnd = /(?<=[.!?]["')\]]?)\s+|[。！？]+/;
/** Who asks not to be given something is careful. */
const refusal =
  /(?:^|[^a-z])(?:do not|don't|never|must not|should not|please avoid|avoid|without) (?:ever |even )?(?:includ|pass|send|put|add|enter|provid|giv|submit|shar|past|attach|expos|log|stor)/;

export function wantedAssets({ where, role, side, owner: parameter, text }: ScannedText, purpose: Purpose): Signal[] {
  if (side !== 'input' || parameter === undefined || (role !== 'prose' && role !== 'title' && role !== 'sample'))
    return [];
  const found = folded(text.slice(0, mostCharacters))
    .split(sentenceEnd)
    .filter((said) => !refusal.test(said))
    .flatMap((said) => assets.flatMap((asset) => wantedIn(said, asset, purpose) ?? []));
  const points = Math.max(0, ...found) + (found.length > 1 ? 10 : 0);
  return points < 20
    ? []
    : [
        {
          code: 'secrets',
          kind: 'asset',
          points,
          where,
          says: 'A parameter asks for what is none of its business',
          excerpt: text,
        },
      ];
}

/** undefined where it is not spoken of. */
function wantedIn(said: string, asset: Asset, purpose: Purpose): number | undefined {
  const hit = asset.words.exec(said)?.[0];
  if (hit === undefined) return undefined;
  const sum =
    asset.points +
    (amount.test(said) ? fromAmount : 0) +
    (owner.test(said) ? fromOwner : 0) +
    (reason.test(said) ? fromReason : 0);
  return sum * businessOf(asset, hit, purpose) * (pathLike.test(said) ? 0.4 : 1);
}

/** A path, a name or a number of something is not the thing itself. */
const pathLike =
  /^(?:the |an? |optional |full |absolute |relative )*(?:paths?|name|ids?|identifiers?|urls?|uris?|numbers?|types?|kinds?|formats?|whether|if|how many|maximum|limit|filter|sort|true|set to|default|date|time)(?![a-z])/;

/** How much of it counts: little where the tool is for such things. */
function businessOf({ what }: Asset, hit: string, purpose: Purpose): number {
  const stems = (hit.match(/[a-z]{4,}/g) ?? []).map((word) => word.slice(0, 5));
  if (stems.some((stem) => purpose.text.includes(stem))) return 0.3;
  if (purpose.isAboutModels && (what === 'talk' || what === 'model')) return 0.3;
  if (what === 'secrets' || what === 'codes') return purpose.isSecurity || signIn.test(purpose.text) ? 0.3 : 0.9;
  return purpose.isSecurity ? 0.5 : 1;
}

const signIn = anyPhrase([
  'log ?in|sign ?in|auth*|connect*|account|session|smtp|imap|ssh|ftp|database|vault|deploy*|webhook|bot|wallet|mailbox|registry|vpn|proxy|server|client|request*|api|exchange|order*|trad*|pay*|send*|fetch|sign*|rotat*|verify|encrypt|decrypt',
]);
