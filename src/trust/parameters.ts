/** The parameters of a definition, wherever in its schema they stand, and what they give a tool reach of. */

import { isObject } from '../base/json.ts';
import type { Definition } from './judgement.ts';

export interface Parameter {
  readonly name: string;
  readonly where: string;
  readonly schema: Definition;
  readonly isRequired: boolean;
}

/** Schemas that are nested deeper hold no parameters that anybody fills in. */
const deepest = 40;
/** Parameters of one definition that are compared. */
const most = 4_000;

/** By their places; references are not followed, what they refer to stands in the same schema. */
export function parametersOf({ inputSchema, arguments: listed }: Definition): Map<string, Parameter> {
  const found = new Map<string, Parameter>();
  const waiting: { value: unknown; where: string; depth: number }[] = [
    { value: inputSchema, where: 'inputSchema', depth: 0 },
  ];
  for (let at = 0; at < waiting.length && found.size < most; at += 1) {
    const { value, where, depth } = waiting[at] ?? { value: undefined, where: '', depth: 0 };
    if (depth > deepest) continue;
    if (Array.isArray(value))
      waiting.push(
        ...[...value.entries()].map(([index, item]) => ({ value: item, where: `${where}.${index}`, depth: depth + 1 })),
      );
    if (!isObject(value)) continue;
    const { properties, required, ...rest } = value;
    const isRequired = new Set(Array.isArray(required) ? required : []);
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      const place = `${where}.properties.${name}`;
      found.set(place, {
        name,
        where: place,
        schema: isObject(schema) ? schema : {},
        isRequired: isRequired.has(name),
      });
      waiting.push({ value: schema, where: place, depth: depth + 1 });
    }
    for (const [name, inside] of Object.entries(rest))
      if (isObject(inside) || Array.isArray(inside))
        waiting.push({ value: inside, where: `${where}.${name}`, depth: depth + 1 });
  }
  for (const [index, item] of (Array.isArray(listed) ? listed : []).entries()) {
    if (!isObject(item)) continue;
    const where = `arguments.${index}`;
    found.set(where, { name: String(item.name), where, schema: item, isRequired: item.required === true });
  }
  return found;
}

export const reaches = ['shell', 'files', 'network', 'credentials'] as const;
export type Reach = (typeof reaches)[number];

interface Signs {
  /** Names of parameters, in words. */
  readonly names: RegExp;
  /** Words about a parameter that are a sign on their own, without a name. */
  readonly strong: RegExp;
  /** Words by which a definition shows that this was its business before. */
  readonly known: RegExp;
}

/** Words for what lets somebody in. */
export const credentials =
  /\b(?:tokens?|passwords?|api[ _-]?keys?|secrets?|credentials?|cookies?|auth\w*|log ?ins?|sign[- ]?ins?|keys?|session)\b|密码|令牌|パスワード|토큰|비밀번호|passwort|mot de passe|contraseña|senha|парол/i;

const signs: Readonly<Record<Reach, Signs>> = {
  shell: {
    names:
      /^(?:cmd|commands?|exec|shell|eval|script|(?:pre|post|before|after|on \w+) (?:hook|command|script|exec|run|process)|init script|run (?:before|after|first))$/,
    strong:
      /\b(?:shell|bash|powershell|terminal) (?:commands?|scripts?|line)|command (?:line )?(?:to|that is|which is|is) (?:be )?(?:run|execut)|commands? (?:to )?(?:run|execute)|(?:run|executed|evaluated) (?:on|by|in|inside) (?:the|this|your|a) (?:host|server|machine|container|shell|page)|argument vector|command line (?!flags?|options?|arguments?)|bash -c|handed to (?:sh|bash|the shell)|at a (?:shell )?prompt|any executable|install script|lifecycle scripts|(?:python|javascript|js|lua|ruby) (?:expression|code|file|snippet|that)|may import|__import__|loaded and run|as root\b|执行的命令|执行命令|コマンドを実行|실행할 명령|befehl.{0,20}ausf|commande.{0,20}exécut|comando.{0,20}(?:ejecut|execut)|выполн\S* команд|команд\S* .{0,20}выполн/i,
    known:
      /\b(?:shell|bash|commands?|exec\w*|scripts?|terminal|eval\w*|code|javascript|python)\b|命令|コマンド|명령|befehl|commande|comando|команд/i,
  },
  files: {
    names: /(?:^| )(?:path|paths|file|files|file ?path|dir|directory)$/,
    strong:
      /\bany (?:absolute )?(?:path|file|folder)|any file (?:is|on)|absolute path on|path (?:of|to) (?:a|any) (?:local )?file|local (?:file|path)|files? (?:on|from) (?:the|this|your) (?:disk|machine|computer|host)|hidden files|paths? of other|outside (?:of )?the (?:project|root|workspace|vault)/i,
    known:
      /\b(?:files?|paths?|filepath\w*|workbooks?|spreadsheets?|folders?|director\w+|disk|filename|documents?|repositor\w+|workspace|upload\w*|attach\w*|export\w*|sav(?:e|es|ed))\b|文件|ファイル|파일|datei|fichier|archivo|arquivo|файл/i,
  },
  network: {
    names:
      /(?:^| )(?:url|uri|urls|callback|webhook|endpoint|host|proxy|dsn|registry|base url|server url|connection string)$/,
    strong:
      /\breceives? (?:a )?(?:post|copy|the)|url (?:that|which) (?:is|receives|gets)|(?:posted|sent|pushed|delivered) to (?:this|the) (?:url|address|endpoint)|connection string|another (?:database|server|host)|any (?:https?|url|address|scheme|host)\b|address of your own|through (?:this|a) proxy|folder or url|path or url|回调|コールバック/i,
    known:
      /\b(?:urls?|uris?|https?|web|website|sites?|pages?|hosts?|endpoint|links?|fetch\w*|download\w*|domain|proxy|network|api|remote|server|webhook|callback)\b|网|ウェブ|웹/i,
  },
  credentials: {
    names:
      /(?:^| )(?:token|password|passphrase|api key|apikey|secret|secret key|private key|access key|credentials?|cookies?|authorization|otp|pin|seed phrase|session|auth)$/,
    strong:
      /\b(?:password|passphrase|api key|access token|private key|client secret|seed phrase|card number|cvv|login credentials)\b|kennwort|passwort|mot de passe|contraseña|\bsenha|парол|密码|密碼|パスワード|暗証番号|비밀번호|şifre|hasło/i,
    known: credentials,
  },
};

/** Links that are shown. */
const shownLink = /(?:cover|image|avatar|media|picture|icon|logo|photo|thumbnail|website|page|link)s? ur[il]s?$/;
/** Marks of a page, which servers give out themselves. */
const paging = /\b(?:page|next|continuation|sync|cursor|previous)\b/;
/** Names of ids, which are not addresses: "connection id", whatever the description says about the connection. */
const id = /(?:^| )(?:ids?|uuid|guid|key name)$/;

/** The reach that a parameter adds; `known` is all that the definition said before. */
export function newReach({ name, schema }: Parameter, known: string): Reach | undefined {
  const words = parameterWords(name);
  const said = [schema.title, schema.description].filter((text) => typeof text === 'string').join('. ');
  const isText = schema.type === undefined || JSON.stringify([schema.type, schema.items ?? '']).includes('string');
  if (!isText || Array.isArray(schema.enum) || schema.const !== undefined || paging.test(words)) return undefined;
  if (id.test(words) && schema.format !== 'uri' && !/:\/\//.test(String(schema.pattern ?? ''))) return undefined;
  return reaches.find((reach) => {
    const { names, strong, known: wasKnown } = signs[reach];
    return strong.test(said)
      ? !strong.test(known) && !(reach === 'credentials' && wasKnown.test(known))
      : names.test(words) && !shownLink.test(words) && !wasKnown.test(known);
  });
}

/** True if a parameter says where something goes or comes from, or what to run. */
export function isReaching({ name, schema }: Parameter): boolean {
  const words = parameterWords(name);
  const said = typeof schema.description === 'string' ? schema.description : '';
  return (
    reaches.some((reach) => signs[reach].names.test(words) || signs[reach].strong.test(said)) ||
    /(?:^| )(?:to|recipients?|sql|query|address)$/.test(words)
  );
}

export function parameterWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_\s.-]+/g, ' ')
    .trim()
    .toLowerCase();
}
