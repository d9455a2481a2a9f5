/** Resources, prompts and completions between agents and servers of every era, and news of resources that change. */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { everyPair, openServerRow, type ServerRow } from '../kit/server-row.ts';

let row: ServerRow;
before(async () => {
  row = await openServerRow();
});
after(() => row[Symbol.asyncDispose]());

everyPair(
  '[ERA-10] resources and templates are listed and read',
  () => row,
  async ({ client }, { name, era }) => {
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      [`test://${name}/binary`, `test://${name}/live`, `test://${name}/text`],
    );
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates, [{ uriTemplate: `test://${name}/city/{city}`, name: 'city' }]);
    const read = async (path: string) => (await client.readResource({ uri: `test://${name}/${path}` })).contents;
    assert.deepEqual(await read('text'), [
      { uri: `test://${name}/text`, mimeType: 'text/plain', text: `Plain text from ${name}: naïve, 日本語.` },
    ]);
    assert.deepEqual(await read('binary'), [
      { uri: `test://${name}/binary`, mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
    ]);
    assert.deepEqual(await read('city/bern'), [
      { uri: `test://${name}/city/bern`, mimeType: 'text/plain', text: 'All about bern.' },
    ]);
    await assert.rejects(read('nowhere'), /not found/i, era);
  },
);

everyPair(
  '[ERA-11] prompts are listed and filled in',
  () => row,
  async ({ client }) => {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['greeting', 'translate'],
    );
    const prompt = await client.getPrompt({ name: 'translate', arguments: { language: 'dutch', text: 'hello' } });
    assert.deepEqual(prompt.messages, [
      { role: 'user', content: { type: 'text', text: 'Translate "hello" into dutch.' } },
    ]);
    await assert.rejects(client.getPrompt({ name: 'translate', arguments: {} }), /"language" is missing/);
  },
);

everyPair(
  '[ERA-12] arguments of prompts and templates are completed',
  () => row,
  async ({ client }, { name }) => {
    const prompt = { type: 'ref/prompt' as const, name: 'translate' };
    const languages = await client.complete({ ref: prompt, argument: { name: 'language', value: 'd' } });
    assert.deepEqual(languages.completion.values, ['dutch', 'danish']);
    const template = { type: 'ref/resource' as const, uri: `test://${name}/city/{city}` };
    const cities = await client.complete({ ref: template, argument: { name: 'city', value: 'be' } });
    assert.deepEqual(cities.completion.values, ['berlin', 'bern']);
  },
);

const UPDATED = 'notifications/resources/updated';

everyPair(
  '[ERA-13] an agent hears of each update of the resources it subscribed to, once, until it no longer wants to',
  () => row,
  async (agent, server) => {
    const live = `test://${server.name}/live`;
    await using witness = await row.connect(agent.kind, server);
    await agent.listen([live]);
    const revision = await agent.say('touch');
    await agent.heard.atLeast(UPDATED, 1);
    const { contents } = await agent.client.readResource({ uri: live });
    assert.deepEqual(contents, [{ uri: live, mimeType: 'text/plain', text: revision }]);
    await agent.stopListening([live]);
    await witness.listen([live]);
    await agent.say('touch');
    const [params] = await witness.heard.atLeast(UPDATED, 1);
    assert.equal(params?.uri, live);
    assert.equal(agent.heard.of(UPDATED).length, 1);
    assert.equal(witness.heard.of(UPDATED).length, 1);
  },
);
