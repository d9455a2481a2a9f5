/** The encoder in a real thread, with a package as it is installed. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { writeTinyEncoder } from '../../../test/kit/tiny-encoder.ts';
import type { Vector } from '../vector.ts';
import { Encoder } from './encoder.ts';
import { openEncoder } from './encoder-model.ts';
import { findEncoder, identifyEncoder } from './package.ts';

const folder = mkdtempSync(join(tmpdir(), 'encoder-thread-'));
const forever = new AbortController().signal;
// The thread does not keep this process alive while a test waits for it.
let alive: NodeJS.Timeout;
before(() => {
  alive = setInterval(() => {}, 60_000);
});
after(() => {
  clearInterval(alive);
  rmSync(folder, { recursive: true });
});

test('a thread gives the vectors that the encoder gives', async () => {
  const tiny = writeTinyEncoder(join(folder, 'same'));
  const model = openEncoder(tiny);
  assert.equal(model.id, 'tiny');
  assert.deepEqual([model.width, model.dimensions], [tiny.shape.width, tiny.shape.width]);
  const texts = ['word120 word121', '', 'word122'];
  const encoder = Encoder.read(tiny.folder, tiny.vocabulary);
  assert.deepEqual(
    await model.embed(texts, forever),
    texts.map((text) => encoder.vectorOf(text)),
  );
  await model.close();
});

test('the weights that are shipped fit the vocabulary: what means the same is nearer', async () => {
  const model = openEncoder({ folder: fileURLToPath(new URL('../../../companions/encoder', import.meta.url)) });
  const texts = ['send an e-mail to a colleague', 'mail a message to somebody', 'weather forecast for tomorrow'];
  const [query, near, far] = await model.embed(texts, forever);
  assert.ok(query && near && far);
  assert.ok(cosine(query, near) > 0.5, `near: ${cosine(query, near)}`);
  assert.ok(cosine(query, far) < 0.3, `far: ${cosine(query, far)}`);
  await model.close();
});

test('a damaged file fails the request with what is wrong; a repaired one serves the next', async () => {
  const tiny = writeTinyEncoder(join(folder, 'damaged'));
  const layers = join(tiny.folder, 'encoder.layers');
  const whole = readFileSync(layers);
  writeFileSync(layers, whole.subarray(0, whole.length - 16));
  const model = openEncoder(tiny);
  await assert.rejects(model.embed(['word120'], forever), { code: 'MODEL_FAILED', message: /is damaged/ });
  writeFileSync(layers, whole);
  assert.equal((await model.embed(['word120'], forever)).length, 1);
  await model.close();
});

test('closing ends a thread in the middle of its work', async () => {
  const tiny = writeTinyEncoder(join(folder, 'closing'));
  const model = openEncoder(tiny);
  const running = model.embed(
    Array.from({ length: 10_000 }, () => 'word120'),
    forever,
  );
  const failed = assert.rejects(running, { code: 'MODEL_FAILED' });
  await model.embed(['word121'], forever, true);
  await model.close();
  await failed;
});

test('a process ends although the encoder is open and has work', async () => {
  const tiny = writeTinyEncoder(join(folder, 'process'));
  const program = `
    import { openEncoder } from ${JSON.stringify(new URL('./encoder-model.ts', import.meta.url).href)};
    const { signal } = new AbortController();
    const model = openEncoder(${JSON.stringify({ folder: tiny.folder, vocabulary: tiny.vocabulary })});
    const alive = setInterval(() => {}, 60_000);
    await model.embed(['word120'], signal);
    clearInterval(alive);
    model.embed(Array.from({ length: 1_000_000 }, () => 'word121'), signal);
    process.stdout.write('served');
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  assert.equal(stdout, 'served');
});

test('the package is found from where a module would import it, by its own exports', () => {
  const installed = join(folder, 'program/node_modules/toolcrib-encoder');
  mkdirSync(join(folder, 'program/dist'), { recursive: true });
  writeTinyEncoder(installed);
  const own = fileURLToPath(new URL('../../../companions/encoder/package.json', import.meta.url));
  copyFileSync(own, join(installed, 'package.json'));
  const found = findEncoder(pathToFileURL(join(folder, 'program/dist/model.js')).href);
  assert.deepEqual(identifyEncoder(found), { id: 'tiny', width: 32 });
});

test('a missing package is said, with how to install it', () => {
  const missing = {
    code: 'MODEL_BROKEN',
    message: 'The encoder is not installed.',
    hint: /companions\/encoder/,
  };
  const from = pathToFileURL(join(folder, 'nowhere/model.js')).href;
  assert.throws(() => findEncoder(from), missing);
  assert.throws(() => openEncoder({ folder: join(folder, 'nowhere') }), missing);
});

test('a file that is no model is refused before a thread starts', () => {
  const odd = join(folder, 'odd');
  mkdirSync(odd);
  for (const content of ['', 'TCM1', 'TCM1\x02\0\0\0{}', 'TCM1\x03\0\0\0{x}', 'text that is not a model at all']) {
    writeFileSync(join(odd, 'encoder.layers'), content);
    assert.throws(() => openEncoder({ folder: odd }), { code: 'MODEL_BROKEN', message: /is damaged/ }, content);
  }
});

function cosine(left: Vector, right: Vector): number {
  return left.scale * right.scale * left.values.reduce((sum, value, at) => sum + value * (right.values[at] ?? 0), 0);
}
