/** The activity log in the terminal: it follows, stands still for a reader, filters, and shows a record whole. */

import assert from 'node:assert/strict';
import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { RenewedServer } from '../kit/renewed-server.ts';
import { openTui, tellStory, terminalTest } from './story.ts';

declareLooking();

tellStory(
  '[TUI-34] failures of the day, found by one key',
  async () => (await sharedDay()).dataDir,
  async ({ press, shows }) => {
    await press('l', 'f', 'f');
    await shows('Activity: failures');
    const seen = await shows(/arguments +[\d.]+ m?s/);
    assert.doesNotMatch(seen, / ok /);
    await press('f');
    await shows(/owner +description\.p/);
    await press('f');
    await shows('Activity: all');
  },
);

terminalTest('[TUI-34] the log stands still below its first row, follows on it, and Enter shows a record', async () => {
  const echo = { name: 'echo', description: 'Repeats a text.', inputSchema: { type: 'object' } };
  await using server = await RenewedServer.open({ name: 'echoes', tools: [{ ...echo, runAs: 'echo' }] });
  await using gateway = await openTestGateway({
    ...{ servers: { echoes: server.entry }, config: { audit: { arguments: true } } },
  });
  const agent = new ModernAgent(gateway);
  await using terminal = await openTui(gateway.dataDir, { columns: 100, rows: 24 });
  await terminal.press('l', 'f');
  await terminal.shows('Activity: calls');
  await agent.say('echoes.echo', { text: 'first' });
  await terminal.shows(/› .* agent +tools\.call/);
  await agent.say('echoes.echo', { text: 'second' });
  await agent.say('echoes.echo', { text: 'third' });
  const three = await terminal.shows(/(tools\.call[\s\S]*){3}/);
  await terminal.press('Down');
  const chosen = (screen: string) => screen.split('\n').findIndex((line) => line.startsWith('›'));
  const below = await terminal.shows(/\n {2}\d[^\n]*\n› \d/);
  assert.equal(chosen(below), chosen(three) + 1);
  await agent.say('echoes.echo', { text: 'fourth' });
  const still = await terminal.shows('1 newer above: Home');
  assert.equal(still.match(/tools\.call/g)?.length, 3);
  assert.equal(chosen(still), chosen(below));
  await terminal.press('Enter');
  const record = await terminal.shows('"text": "second"');
  for (const fact of [/Outcome +ok/, /Who +agent/, /Tool +echo/, /Request id +\S+/]) assert.match(record, fact);
  await terminal.press('Escape');
  await terminal.shows('Activity: calls');
  await terminal.press('Home');
  assert.equal(chosen(await terminal.shows(/(tools\.call[\s\S]*){4}/)), chosen(three));
});
