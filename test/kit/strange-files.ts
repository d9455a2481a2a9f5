/** Makes unexpected files from a seed: broken, endless, huge, or not regular files. Linux only. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, dirname, join, relative } from 'node:path';
import { Random } from '../../exam/kit/random.ts';
import { agentIds, agents, machineOf } from '../../src/agent-files/agent-files.ts';

export type Text = 'jsonc' | 'toml' | 'yaml';

export interface StrangeFile {
  readonly kind: string;
  /** `refused`: an error must name the file. `read`: it is a good file of its agent. `either`: chance decides. */
  readonly end: 'refused' | 'read' | 'either';
}

/** A good text with the server "plain", and with `more` in one of its strings. */
export function goodText(format: Text, path: readonly string[], more = ''): string {
  if (format === 'toml') return `note = "${more}"\n[${path.join('.')}.plain]\ncommand = "plain"\n`;
  if (format === 'jsonc') {
    const servers = path.reduceRight<object>((inner, key) => ({ [key]: inner }), { plain: { command: 'plain' } });
    return JSON.stringify({ note: more, ...servers }, null, 2);
  }
  const lines = [...path, 'plain', 'command'].map((key, depth) => `${'  '.repeat(depth)}${key}:`);
  return `note: "${more}"\n${lines.join('\n')} plain\n`;
}

export interface PlantedFile extends StrangeFile {
  readonly path: string;
}

type Write = (path: string, text: () => string, random: Random, format: Text) => void;

const longest = 400_000;

/** Deep nesting, some of it never closed. */
function deepText(random: Random, format: Text): string {
  const depth = random.one([40, 1_000, 100_000]);
  const [open, close] = random.one([
    ['[', ']'],
    ['{"a":', '}'],
    ['{a: ', '}'],
    ['- ', ''],
    ['? ', ''],
    ['a.', ''],
    ['[[', ']]'],
  ] as const);
  const start = format === 'toml' ? random.one(['a = ', '']) : '';
  return start + open.repeat(depth) + random.one(['', '1', '"x": 1']) + close.repeat(random.one([0, depth]));
}

function longText(random: Random): string {
  const sign = random.one([
    '"',
    "'",
    ' ',
    '\n',
    '\\',
    '#',
    ',',
    '[]',
    '{},',
    'x',
    '1,',
    '\t',
    '\r\n',
    '&a ',
    '*a ',
    '""',
    "'''",
  ]);
  const head = random.one(['', 'a = ', 'a: ', '{"a": ', '["', 'a = """', 'a: |\n ']);
  return head + sign.repeat(Math.floor(longest / sign.length));
}

function bytesOf(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.whole(0, 255)));
}

/** The superuser can read any file. */
const isSuperuser = process.getuid?.() === 0;

const kinds: Readonly<Record<string, readonly [end: StrangeFile['end'], write: Write]>> = {
  'good text': ['read', (path, text) => writeFileSync(path, text())],
  'byte order mark': ['read', (path, text) => writeFileSync(path, `\uFEFF${text()}`)],
  'line breaks of Windows': ['read', (path, text) => writeFileSync(path, text().replaceAll('\n', '\r\n'))],
  'link to a good file': [
    'read',
    (path, text) => {
      writeFileSync(`${path}.real`, text());
      symlinkSync(`${basename(path)}.real`, path);
    },
  ],
  empty: ['either', (path) => writeFileSync(path, '')],
  'random bytes': ['either', (path, _text, random) => writeFileSync(path, bytesOf(random, random.whole(1, 3_000)))],
  'NUL bytes': ['either', (path) => writeFileSync(path, Buffer.alloc(5_000))],
  'UTF-16': ['refused', (path, text) => writeFileSync(path, Buffer.from(`\uFEFF${text()}`, 'utf16le'))],
  'a byte that is not UTF-8': [
    'refused',
    (path, text) => writeFileSync(path, Buffer.concat([Buffer.from(text()), Buffer.from([0xc3, 0x28])])),
  ],
  truncated: ['either', (path, text, random) => writeFileSync(path, text().slice(0, random.whole(1, text().length)))],
  'a byte changed': [
    'either',
    (path, text, random) => {
      const bytes = Buffer.from(text());
      bytes[random.whole(0, bytes.length - 1)] = random.whole(0, 255);
      writeFileSync(path, bytes);
    },
  ],
  deep: ['either', (path, _text, random, format) => writeFileSync(path, deepText(random, format))],
  'deep in a good file': [
    'either',
    (path, text, random, format) => writeFileSync(path, `${text()}\n${deepText(random, format)}\n${text()}`),
  ],
  'a long line': ['either', (path, _text, random) => writeFileSync(path, longText(random))],
  'over every limit': [
    'refused',
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 65 * 1_024 * 1_024);
    },
  ],
  pipe: ['refused', (path) => execFileSync('mkfifo', [path])],
  folder: ['refused', (path) => mkdirSync(path)],
  'no permission': [
    isSuperuser ? 'read' : 'refused',
    (path, text) => {
      writeFileSync(path, text());
      chmodSync(path, 0);
    },
  ],
  'link to an endless device': ['refused', (path, _text, random) => symlinkSync(random.one(endless), path)],
  'link to a terminal or a disk': [
    'refused',
    (path, _text, random) => symlinkSync(random.one(['/dev/tty', '/dev/null']), path),
  ],
  'link that leads out': ['refused', (path) => symlinkSync('/proc/self/pagemap', path)],
  'link to a folder above': ['refused', (path) => symlinkSync(relative(dirname(path), '/'), path)],
  'link to itself': ['refused', (path) => symlinkSync(basename(path), path)],
  'link to a pipe': [
    'refused',
    (path) => {
      execFileSync('mkfifo', [`${path}.pipe`]);
      symlinkSync(`${path}.pipe`, path);
    },
  ],
};
const endless = ['/dev/zero', '/dev/urandom', '/dev/full'];

export const strangeKinds: readonly string[] = [...Object.keys(kinds), 'socket'];

/** Keeps its sockets open until it is closed. */
export class StrangeFiles {
  readonly #sockets: Server[] = [];

  /** One at every path where an agent keeps a config, of user and project. */
  async plant(home: string, cwd: string, seed: number): Promise<PlantedFile[]> {
    const machine = machineOf('linux', home, {}, cwd);
    const random = new Random(seed);
    const planted = new Map<string, PlantedFile>();
    for (const row of agentIds.flatMap((id) => agents[id].files)) {
      const path = row.path(machine);
      if (planted.has(path)) continue;
      // Every kind has its turn.
      const kind = strangeKinds[(seed * 7 + planted.size) % strangeKinds.length] ?? '';
      planted.set(path, { path, ...(await this.write(path, kind, random, row.format, row.servers(machine))) });
    }
    return [...planted.values()];
  }

  async write(
    path: string,
    kind: string,
    random: Random,
    format: Text,
    servers: readonly string[],
  ): Promise<StrangeFile> {
    mkdirSync(dirname(path), { recursive: true });
    const found = kinds[kind];
    if (found !== undefined) {
      const [end, write] = found;
      write(path, () => goodText(format, servers, 'x'.repeat(random.one([1, 100, longest]))), random, format);
      return { kind, end };
    }
    // A socket needs a short path.
    const short = join('/tmp', random.word('strange'));
    const server = createServer().listen(short);
    await once(server, 'listening');
    this.#sockets.push(server);
    symlinkSync(short, path);
    return { kind, end: 'refused' };
  }

  close(): void {
    for (const server of this.#sockets.splice(0)) server.close();
  }
}
