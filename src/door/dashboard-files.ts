/** The built files of the dashboard, read once and kept in memory: no part of a request ever reaches the file system. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { systemCodeOf } from '../base/errors.ts';
import { HttpError } from './exchange.ts';
import { messagePage, pageHeaders, strictHeaders } from './pages.ts';

interface DashboardFile {
  readonly headers: Readonly<Record<string, string>> & { readonly etag?: string };
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** By name; that of the page itself is empty. */
type Files = ReadonlyMap<string, DashboardFile>;

export class DashboardFiles {
  readonly #folder: string;
  #files: Promise<Files> | undefined;

  /** `folder`: where the build lies; it may be missing, and come later. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `name`: of an asset; empty for the page. */
  async serve(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const files = await this.#read();
    if (files.size === 0 && name === '') return void response.writeHead(404, pageHeaders).end(missingPage);
    const file = files.get(name);
    if (!file) throw new HttpError(404, 'There is nothing at this path.');
    const { headers, plain, zipped } = file;
    const { etag } = headers;
    if (etag !== undefined && request.headers['if-none-match'] === etag)
      return void response.writeHead(304, headers).end();
    const isZipped = takesGzip(String(request.headers['accept-encoding']));
    const body = isZipped ? zipped : plain;
    const encoding = isZipped ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(200, { ...headers, ...encoding, 'content-length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #read(): Promise<Files> {
    this.#files ??= readFiles(this.#folder).then(
      (files) => {
        // In the middle of a build some are not there yet: they are read again.
        if (!isWhole(files)) this.#files = undefined;
        return files;
      },
      (error: unknown) => {
        this.#files = undefined;
        if (systemCodeOf(error) === 'ENOENT') return new Map();
        throw error;
      },
    );
    return this.#files;
  }
}

/** True if every file is there that the page names. */
function isWhole(files: Files): boolean {
  const named =
    files
      .get('')
      ?.plain.toString()
      .matchAll(/["']\.\/assets\/([^"']+)["']/g) ?? [];
  return [...named].every(([, name = '']) => files.has(name));
}

/** A quality of 0 refuses it. */
function takesGzip(accepted: string): boolean {
  return accepted.split(',').some((item) => /^\s*gzip\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/i.test(item));
}

async function readFiles(folder: string): Promise<Files> {
  const assets = join(folder, 'assets');
  const page = await readOne(join(folder, 'index.html'), () => ({ 'cache-control': 'no-store' }));
  const names = await readdir(assets);
  const others = names.map(async (name) => [name, await readOne(join(assets, name), forLong)] as const);
  return new Map([['', page], ...(await Promise.all(others))]);
}

/** The names of assets hold a hash of their content. */
const forLong = (content: Buffer) => ({
  'cache-control': 'public, max-age=31536000, immutable',
  etag: `"${createHash('sha256').update(content).digest('base64url')}"`,
});

async function readOne(path: string, caching: (content: Buffer) => DashboardFile['headers']): Promise<DashboardFile> {
  const plain = await readFile(path);
  const headers = {
    ...dashboardHeaders,
    'content-type': types[extname(path)] ?? 'application/octet-stream',
    ...caching(plain),
    vary: 'accept-encoding',
  };
  return { headers, plain, zipped: await promisify(gzip)(plain, { level: 9 }) };
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The page loads its own files alone, talks to its own gateway alone, and is framed by nobody. */
const dashboardHeaders = {
  ...strictHeaders,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

const missingPage = messagePage(
  'The dashboard is not built',
  'The gateway runs. To see it here, run "npm run build:dashboard" in the folder of Toolcrib and load this page again.',
);
