/** Who does not show the terminal UI does not pay for it. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';

/** Writes down every module that is loaded. */
const counting = `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED_MODULES, url + '\\n');
    return next(url, context);
  },
});`;
const node = ['--import', `data:text/javascript,${encodeURIComponent(counting)}`];

const ofTui = /\/node_modules\/(?:ink|react|react-reconciler|yoga-layout|scheduler)\/|\/src\/surfaces\/tui\//;

test('[TUI-46] commands that do not show the terminal UI load nothing of it', async () => {
  await using machine = await CliMachine.make();
  const loadedBy = async (name: string, line: readonly string[]) => {
    const file = join(machine.home, name);
    const command = machine.spawn(line, { node, env: { LOADED_MODULES: file } });
    await command.until(({ stdout }) => stdout !== '');
    await command.stop();
    return (await readFile(file, 'utf8')).trim().split('\n');
  };
  for (const [name, line] of [
    ['version', ['--version']],
    ['list', ['list']],
    ['start', ['start', '--port', '0', '--json']],
  ] as const) {
    const modules = await loadedBy(name, line);
    assert.ok(
      modules.some((url) => url.endsWith('/src/surfaces/cli/cli.ts')),
      name,
    );
    assert.deepEqual(
      modules.filter((url) => ofTui.test(url)),
      [],
      name,
    );
  }
});
