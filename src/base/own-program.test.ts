/** How a person calls this installation, and which words of a text are such a call. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  commandAnywhere,
  commandHere,
  configOption,
  dataOption,
  isPublished,
  programWords,
  withOwnCommand,
} from './own-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test("the README's first minute begins with the package once it is published, and until then with a clone", async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, firstBlock = ''] = /^```sh\n(.*?)^```/ms.exec(readme) ?? [];
  assert.match(firstBlock, isPublished ? /^npx toolcrib / : /^git clone .*\nnpm install /);
});

test('in a checkout npx is enough in its folder; elsewhere, until it is published, the folder is named', () => {
  assert.equal(commandHere(root, {}), 'npx toolcrib');
  assert.equal(commandHere(join(root, 'docs', 'guides'), {}), 'npx toolcrib');
  for (const folder of [join(root, '..'), `${root.replace(/[/\\]$/, '')}-other`]) {
    assert.equal(commandHere(folder, {}), commandAnywhere());
    assert.match(commandAnywhere(), isPublished ? /^npx toolcrib$/ : /^npx --prefix .+ toolcrib$/);
  }
  assert.deepEqual(programWords(), [process.execPath, join(root, 'bin', 'toolcrib.js')], 'no shell, no npx');
});

test('a command names the config file that was given, and a data folder that it would not take by itself', () => {
  assert.equal(dataOption('/srv/usual', '/srv/usual'), '');
  assert.equal(dataOption('/srv/tools', '/srv/usual'), ' --data /srv/tools');
  assert.equal(dataOption('/srv/my tools', '/srv/usual'), ' --data "/srv/my tools"');
  assert.equal(configOption(undefined), '');
  assert.equal(configOption('my tools.json'), ' --config "my tools.json"');
  assert.equal(withOwnCommand('toolcrib list', 'X --data /srv/tools'), 'X --data /srv/tools list');
});

test('only commands are rewritten', () => {
  for (const [text, expected] of [
    ['Add one: toolcrib add NAME', 'Add one: X add NAME'],
    ['toolcrib list', 'X list'],
    ['See: toolcrib --help', 'See: X --help'],
    ['Run "toolcrib config check", or (toolcrib doctor).', 'Run "X config check", or (X doctor).'],
    ['first\n  toolcrib token revoke a', 'first\n  X token revoke a'],
    ['npx toolcrib list', 'npx toolcrib list'],
    ['npx --prefix /a/b toolcrib list', 'npx --prefix /a/b toolcrib list'],
    ['claude mcp add toolcrib http://127.0.0.1/mcp', 'claude mcp add toolcrib http://127.0.0.1/mcp'],
    ['The folder /x/.toolcrib cannot be used', 'The folder /x/.toolcrib cannot be used'],
    [
      'toolcrib:read_result, toolcrib://servers, toolcrib.json',
      'toolcrib:read_result, toolcrib://servers, toolcrib.json',
    ],
    ['Server "toolcrib" is off', 'Server "toolcrib" is off'],
    ['Toolcrib needs Node', 'Toolcrib needs Node'],
  ] as const)
    assert.equal(withOwnCommand(text, 'X'), expected);
});
