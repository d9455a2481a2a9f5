/** Litter that careless programs print on standard output between their messages, one kind each. */

import type { JunkKind } from './spec.ts';

const NPM = ['npm warn deprecated har-validator@5.1.5: this library is no longer supported', 'npm notice'];
const BANNER = [
  '  ____            _',
  ' / ___|  ___ _ __| |_ ___',
  'Test Server v1.0.0 ready on stdio {press ctrl+c}',
  '',
];
/** Valid JSON, and still no JSON-RPC message. */
const JSON_LINES = ['{"level":30,"time":1700000000000,"msg":"started"}', '42', 'null', '"ready"', '[]'];

/** The bytes that come before everything else. */
export function startBytes(kinds: readonly JunkKind[]): Buffer {
  const mark = kinds.includes('bom') ? [Buffer.from([0xef, 0xbb, 0xbf])] : [];
  const banner = kinds.includes('banner') ? [line(BANNER.join('\n'))] : [];
  return Buffer.concat([...mark, ...banner]);
}

/** The lines to put between messages, in turn. */
export function junkLines(kinds: readonly JunkKind[]): Buffer[] {
  const lines: Readonly<Record<JunkKind, readonly Buffer[]>> = {
    banner: [],
    bom: [],
    crlf: [],
    npm: NPM.map(line),
    json: JSON_LINES.map(line),
    binary: [Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), line('')])],
    utf8: [Buffer.concat([Buffer.from([0xc3, 0x28, 0xff, 0xe2, 0x82]), line('')])],
    long: [line(`debug: ${'z'.repeat(1 << 20)}`)],
  };
  return kinds.flatMap((kind) => lines[kind]);
}

export function lineEnd(kinds: readonly JunkKind[]): string {
  return kinds.includes('crlf') ? '\r\n' : '\n';
}

function line(content: string): Buffer {
  return Buffer.from(`${content}\n`);
}
