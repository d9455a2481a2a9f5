/** No setting is without effect. */

import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { fileSchema } from './schema.ts';

const source = fileURLToPath(new URL('..', import.meta.url));

/** The code that could use a setting: everything but the folder that reads the file. */
async function usingCode(): Promise<string> {
  const texts: string[] = [];
  for await (const path of glob('**/*.ts', { cwd: source })) {
    if (path.startsWith('config') || path.endsWith('.test.ts')) continue;
    const text = await readFile(join(source, path), 'utf8');
    texts.push(text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ''));
  }
  return texts.join('\n');
}

/** The path of every setting that is no section itself. */
function* settingsOf(schema: z.ZodType, path: readonly string[] = []): Generator<readonly string[]> {
  let inner: z.ZodType = schema;
  while (inner instanceof z.ZodPrefault || inner instanceof z.ZodDefault) inner = inner.unwrap() as z.ZodType;
  const members = Object.entries(inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : {});
  if (members.length === 0) yield path;
  for (const [key, member] of members) yield* settingsOf(member, [...path, key]);
}

test('every setting is read somewhere', async () => {
  const words = new Set((await usingCode()).match(/\w+/g));
  const settings = [...settingsOf(fileSchema(z.unknown()))];
  assert.ok(settings.length > 60, `${settings.length} settings`);
  const unread = settings.filter((path) => path.some((key) => !words.has(key)));
  assert.deepEqual(
    unread.map((path) => path.join('.')).filter((path) => path !== '$schema' && path !== 'mcpServers'),
    [],
  );
});
