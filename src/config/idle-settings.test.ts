/** Settings without effect: every one is marked, and a warning names its place. */

import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { settingsOf } from './idle-settings.ts';
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

test('every setting is read somewhere, or marked as one without effect', async () => {
  const words = new Set((await usingCode()).match(/\w+/g));
  const settings = [...settingsOf(fileSchema(z.unknown()))];
  assert.ok(settings.length > 60, `${settings.length} settings`);
  const unread = settings.filter(([path, isIdle]) => !isIdle && path.some((key) => !words.has(String(key))));
  assert.deepEqual(
    unread.map(([path]) => path.join('.')).filter((path) => path !== '$schema' && path !== 'mcpServers'),
    [],
  );
});
