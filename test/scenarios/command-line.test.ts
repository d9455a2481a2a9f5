/** The command line as people expect it: quiet on request, arguments from files, saved images, progress while a tool runs. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readLock } from '../../src/store/lock/lock.ts';
import { CliMachine } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';
import { serverCommand } from '../servers/launch.ts';

const png = Buffer.from('iVBORw0KGgo=', 'base64');
const image = { type: 'image', mimeType: 'image/png', data: png.toString('base64') };
const pictures = ['one', 'two'].map((name, at) => ({
  name,
  description: 'Takes a picture.',
  inputSchema: { type: 'object' },
  respond: { content: [{ type: 'text', text: 'Here it is.' }, ...Array.from({ length: at + 1 }, () => image)] },
}));

function command(spec: Parameters<typeof serverCommand>[0]): string[] {
  const { command: file, args } = serverCommand(spec);
  return ['--', file, ...args];
}

for (const isRunning of [false, true]) {
  describe(isRunning ? 'through a running gateway' : 'on the data folder', () => {
    let machine: CliMachine;
    before(async () => {
      machine = await CliMachine.make();
      if (isRunning) await machine.start();
      await machine.run('add', 'plain', ...command({}));
      await machine.run('add', 'camera', ...command({ tools: pictures }));
    });
    after(() => machine[Symbol.asyncDispose]());
    quietTests(() => machine);
    argumentTests(() => machine);
    savingTests(() => machine);
    progressTests(() => machine);
  });
}

function quietTests(machine: () => CliMachine): void {
  test('[GET-62] a quiet order prints nothing, a quiet question its answer, and a failure its error', async () => {
    const disabled = await machine().run('disable', 'camera', '--quiet');
    assert.deepEqual([disabled.code, disabled.stdout, disabled.stderr], [0, '', '']);
    assert.equal((await machine().run('-q', 'enable', 'camera')).stdout, '');
    const listed = await machine().run('-q', 'list');
    assert.match(listed.stdout, /^plain /m);
    assert.equal(listed.stderr, '');
    const called = await machine().run('call', 'plain:add', 'a=1', 'b=2', '-q');
    assert.deepEqual([called.stdout, called.stderr], ['3\n', '']);
    const failed = await machine().run('-q', 'remove', 'cmera');
    assert.equal(failed.code, 3);
    assert.match(failed.stderr, /no server "cmera".*\nhint: .*camera/s);
    const data = (await machine().run('disable', 'camera', '-q', '--json')).json<{ name: string }>();
    assert.equal(data.name, 'camera', 'data is always asked for with --json');
    await machine().run('enable', 'camera');
  });
}

function argumentTests(machine: () => CliMachine): void {
  test('[GET-66] arguments and values come from files and stdin', async () => {
    const { home } = machine();
    await writeFile(join(home, 'sum.json'), '{ "a": 1, /* a comment */ "b": 2 }');
    await writeFile(join(home, 'draft.md'), '# A draft\n');
    const call = (words: string[], input?: string) =>
      machine().launch(['call', ...words], input === undefined ? {} : { input }).ended;
    assert.equal((await call(['plain:add', '@sum.json'])).stdout, '3\n');
    assert.equal((await call(['plain:add', '-'], '{"a":2,"b":2}')).stdout, '4\n');
    assert.equal((await call(['plain:echo', 'text=@draft.md'])).stdout, '# A draft\n');
    assert.equal((await call(['plain:echo', 'text=@-'], 'from stdin')).stdout, 'from stdin\n');
    assert.equal((await call(['plain:echo', 'text=@@ann'])).stdout, '@ann\n');
  });

  test('a file that cannot be read says so before anything is called', async () => {
    const { home } = machine();
    await writeFile(join(home, 'broken.json'), '{ "a": ');
    await writeFile(join(home, 'picture.png'), Buffer.from([0x89, 0x50, 0xff, 0xfe]));
    const cases: [word: string, message: RegExp][] = [
      ['@nothing.json', /^There is no file "nothing\.json"\.$/m],
      ['@broken.json', /^The arguments are not valid JSON\. broken\.json:1:\d+/m],
      ['text=@nothing.md', /^There is no file "nothing\.md"\.\nhint: .*text=@@nothing\.md$/m],
      ['text=@picture.png', /^"picture\.png" is not text in UTF-8\.$/m],
      ['text=@.', /^"\." is a folder, not a file\.$/m],
    ];
    for (const [word, message] of cases) {
      const { code, stdout, stderr } = await machine().run('call', 'plain:echo', word);
      assert.deepEqual([code, stdout], [2, ''], word);
      assert.match(stderr, message);
    }
  });
}

function savingTests(machine: () => CliMachine): void {
  test('[GET-67] call saves an image, and says how where it was not asked to', async () => {
    const { home } = machine();
    const plain = await machine().run('call', 'camera:one');
    assert.equal(plain.stdout, 'Here it is.\n[image: image/png, 8 bytes]\n');
    assert.match(plain.stderr, /^To save the binary content \(image\/png, 8 bytes\), add --save FILE\.$/m);
    const saved = await machine().run('call', 'camera:one', '--save', 'page.png');
    assert.equal(saved.code, 0, saved.stderr);
    assert.match(saved.stderr, /^Saved to page\.png \(image\/png, 8 bytes\)\.$/m);
    assert.deepEqual(await readFile(join(home, 'page.png')), png);
    const both = await machine().run('call', 'camera:two', '--save', 'shot.png');
    assert.match(both.stderr, /^Saved to shot\.png .*\nSaved to shot-2\.png /m);
    assert.deepEqual(await readFile(join(home, 'shot-2.png')), png);
  });

  test('what cannot be saved is told: before the call where the file is the reason, with the answer where it is not', async () => {
    const nowhere = await machine().run('call', 'camera:one', '--save', 'no-such-folder/page.png');
    assert.deepEqual([nowhere.code, nowhere.stdout], [2, '']);
    assert.match(nowhere.stderr, /^The folder .*no-such-folder does not exist\.\nhint: /m);
    const text = await machine().run('call', 'plain:echo', 'text=hello', '--save', 'page.png');
    assert.deepEqual([text.code, text.stdout], [1, 'hello\n']);
    assert.match(text.stderr, /^Nothing was saved: the answer holds no image/m);
  });
}

function progressTests(machine: () => CliMachine): void {
  test('[GET-65] a call shows what its tool reports on a terminal, and wipes it', async () => {
    const line = ['call', 'plain:progress', 'steps=400', 'delayMs=50'];
    const calling = machine().launch(line, { isTerminal: true });
    await calling.until(({ stderr }) => /░ +\d+ % {2}Calling plain:progress: step \d+ of 400/.test(stderr));
    const { stderr } = await calling.stop();
    assert.ok(stderr.includes('\r\u001b[2K'));
    assert.match(stderr, /\r\u001b\[2KStopped by SIGINT\.\n$/);
  });

  test('a call that is piped reports nothing', async () => {
    const { stdout, stderr } = await machine().run('call', 'plain:progress', 'steps=3');
    assert.deepEqual([stdout, stderr], ['did 3 steps\n', '']);
  });
}

test('a quiet gateway prints nothing while all is well', async () => {
  await using machine = await CliMachine.make();
  const gateway = machine.launch(['start', '--port', '0', '--quiet']);
  await eventually('the gateway runs', async () => (await readLock(machine.dataDir))?.url ?? undefined);
  const { code, stdout, stderr } = await gateway.stop();
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
});

test('a gateway starts beside commands that use its folder', async () => {
  await using machine = await CliMachine.make();
  const starting = machine.start();
  const listed = await Promise.all(Array.from({ length: 8 }, () => machine.run('list')));
  assert.match((await starting).url, /^http:/);
  assert.deepEqual(new Set(listed.map(({ code }) => code)), new Set([0]));
});
