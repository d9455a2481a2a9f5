/** The README's first five minutes, run line by line against the demo. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CliMachine, type StartedGateway } from '../kit/cli.ts';
import { ModernAgent } from '../kit/modern-agent.ts';

const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');

let machine: CliMachine;
let gateway: StartedGateway;
before(async () => {
  machine = await CliMachine.make();
  gateway = await machine.start('--demo');
  await machine.run('refresh');
});
after(() => machine[Symbol.asyncDispose]());

interface Shown {
  readonly command: string;
  readonly printed: string;
}

/** The commands of all console blocks, each with what the README says that it prints. */
function shownCommands(): Shown[] {
  const blocks = [...readme.matchAll(/^```console\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => `\n${block}`.split('\n$ ').slice(1))
    .map((part) => {
      const [command = '', ...lines] = part.split('\n');
      return { command, printed: lines.join('\n').trim() };
    });
}

/** Without what differs from run to run: milliseconds, the widths of columns that they change, and how sure a search is. */
function steady(text: string): string {
  return text
    .trim()
    .replaceAll(/\d+(?= +ok$| %$)/gm, 'N')
    .replaceAll(/ +/g, ' ');
}

const toolcribLine = /^(?:echo '(?<input>.*)' \| )?npx toolcrib (?<words>.*)$/;
const commands = shownCommands().filter(({ command }) => toolcribLine.test(command));

test('[CLI-13] the README shows a list, a search, a call, a mistake, a failure and a program', () => {
  const verbs = commands.map(({ command }) => toolcribLine.exec(command)?.groups?.words?.split(' ')[0]);
  assert.deepEqual(verbs, ['list', 'search', 'call', 'call', 'search', 'call', 'chain']);
});

for (const { command, printed } of commands) {
  test(`[CLI-13] prints what the README says: ${command}`, async () => {
    const { input = '', words = '' } = toolcribLine.exec(command)?.groups ?? {};
    const run = await machine.launch(words.split(' '), { input }).ended;
    assert.equal(steady(run.stdout + run.stderr), steady(printed));
  });
}

test('[CLI-13] an agent gets the beginning of a large result under the lines of the README', async () => {
  const agent = new ModernAgent({ url: gateway.url, agentHeaders: { authorization: `Bearer ${gateway.agentToken}` } });
  const { text } = await agent.call('tool_execute', {
    toolKey: 'meteo:get_measurements',
    arguments: { city: 'Paris' },
  });
  const [, shown = ''] = /^```text\n(The result of meteo:.*?)\n```/ms.exec(readme) ?? [];
  const plain = (part: string) => part.replaceAll(/\/[\w-]{22}\b|"[\w-]{22}"/g, 'ID').replaceAll(/\d[\d.:TZ-]*/g, 'N');
  assert.equal(plain(text).slice(0, plain(shown).length), plain(shown));
  const id = /result\/(?<id>[\w-]+)/.exec(text)?.groups?.id;
  const read = { toolKey: 'toolcrib:read_result', arguments: { id, lines: '1441-1441' } };
  assert.match((await agent.call('tool_execute', read)).text, / 23:00,/);
});
