/** Values that nobody expects, and messages in order with something wrong at a place that is drawn. */

import type { Random } from './random.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const strings: readonly string[] = [
  ...['', ' ', '0', '-1', 'null', 'true', '[]', '{}', '$ID', '..', '../../etc/passwd', '%00', 'a\0b', '\n', '\r\n\r\n'],
  ...['\u001b[2J', '\u202e', '\ufeff', '\ud800', '🙂', '__proto__', 'constructor', 'toString', 'sibling.echo', 'rpc.x'],
  ...['tools/call', 'initialize', 'notifications/cancelled', 'toolcrib://result/none', 'file:///etc/passwd', 'x:y'],
  ...[
    '2025-11-25',
    '2026-07-28',
    '1999-01-01',
    'eyJhIjoxfQ==',
    '{"jsonrpc":"2.0"}',
    "' OR 1=1 --",
    '*',
    'a'.repeat(600),
  ],
];
const numbers: readonly number[] = [
  ...[0, -0, 1, -1, 0.5, 1e21, -1e21, 2 ** 31, 2 ** 53, -(2 ** 53), Number.MAX_VALUE, Number.MIN_VALUE, -32_600],
];
const names: readonly string[] = [
  ...[
    'id',
    'jsonrpc',
    'method',
    'params',
    'result',
    'error',
    'name',
    'arguments',
    '_meta',
    'uri',
    'cursor',
    'requestId',
  ],
  ...[
    'progressToken',
    'content',
    'type',
    'text',
    '__proto__',
    'constructor',
    'x',
    '',
    'progress',
    'task',
    'inputResponses',
  ],
];
const deepest = 3;

/** Any value of JSON, small. */
export function oddValue(random: Random, depth = 0): Json {
  const kind = random.whole(0, depth >= deepest ? 3 : 5);
  if (kind === 0) return random.one([null, true, false]);
  if (kind === 1) return random.one(numbers);
  if (kind === 2 || kind === 3) return random.one(strings);
  if (kind === 4) return Array.from({ length: random.whole(0, 3) }, () => oddValue(random, depth + 1));
  return oddObject(random, depth);
}

function oddObject(random: Random, depth: number): Json {
  const members = Array.from({ length: random.whole(0, 4) }, () => [random.one(names), oddValue(random, depth + 1)]);
  // Not assigned one by one: a member of that name would become the prototype.
  return Object.fromEntries(members) as Json;
}

export function oddString(random: Random): string {
  return random.one(strings);
}

/** The same value with one thing wrong, somewhere inside. */
export function spoil(random: Random, value: Json): Json {
  if (typeof value !== 'object' || value === null || random.share() < 0.1) return oddValue(random);
  return Array.isArray(value) ? spoilList(random, value) : spoilObject(random, value as { readonly [n: string]: Json });
}

function spoilList(random: Random, list: readonly Json[]): Json {
  if (list.length === 0 || random.share() < 0.3) return [...list, oddValue(random)];
  const at = random.whole(0, list.length - 1);
  if (random.share() < 0.3) return list.toSpliced(at, 1);
  return list.with(at, spoil(random, list[at] as Json));
}

function spoilObject(random: Random, object: { readonly [name: string]: Json }): Json {
  const members = Object.entries(object);
  const what = random.share();
  if (members.length === 0 || what < 0.15)
    return Object.fromEntries([...members, [random.one(names), oddValue(random)]]) as Json;
  const at = random.whole(0, members.length - 1);
  const [name, value] = members[at] as [string, Json];
  if (what < 0.35) return Object.fromEntries(members.toSpliced(at, 1)) as Json;
  if (what < 0.45) return Object.fromEntries(members.with(at, [random.one(names), value])) as Json;
  return Object.fromEntries(members.with(at, [name, spoil(random, value)])) as Json;
}

/** The same text, not quite: cut off, doubled, with litter in it, or in bytes that are no UTF-8. */
export function spoilText(random: Random, text: string): Buffer {
  const at = random.whole(0, text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const ways: readonly (() => string | Buffer)[] = [
    () => before,
    () => text + text,
    () => `${text}${random.one(['}', ']', ',', '\0', ' x', '//'])}`,
    () => `${random.one(['\ufeff', '\u001b[0m', ")]}',", ' ', '\t\t'])}${text}`,
    () => `${before}${random.one(['\0', '"', '\\', '{', '[', '\u2028', '\\ud800', 'NaN', '1e999', "'"])}${after}`,
    () => text.replace(/"/g, "'"),
    () => text.replace('{', '{"id":1,"id":2,"jsonrpc":"1.0",'),
    () => Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from(after)]),
    () => `${'['.repeat(random.whole(1, 400))}${text}`,
    () => Buffer.from(text, 'utf16le'),
  ];
  const spoilt = random.one(ways)();
  return typeof spoilt === 'string' ? Buffer.from(spoilt) : spoilt;
}
