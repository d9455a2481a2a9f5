/** Servers and tools in the browser: trying a tool, and finding out why one is missing. */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RenewedServer } from '../kit/renewed-server.ts';
import { browserTest, seriousFindings } from './browser.ts';

const long = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}`).join('\n');
const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: '<img src=x onerror=alert(1)>' },
    count: { type: 'integer', default: 1 },
    level: { enum: ['low', 'high'] },
    tags: { type: 'array', items: { type: 'string' } },
    address: { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] },
  },
  required: ['text'],
};

let server: RenewedServer;
let gateway: TestGateway;

before(async () => {
  server = await RenewedServer.open({
    name: 'shop',
    tools: [
      { name: 'order', description: 'Orders a thing.', inputSchema, runAs: 'echo' },
      {
        name: 'report',
        description: 'Reports.',
        inputSchema: { type: 'object' },
        respond: { content: [{ type: 'text', text: long }] },
      },
      { name: 'refund', description: 'Pays back.', inputSchema: { type: 'object' } },
    ],
  });
  gateway = await openTestGateway();
  await gateway.gateway.admin.run('servers.add', { name: 'shop', spec: server.entry });
});

after(async () => {
  await gateway.close();
  await server[Symbol.asyncDispose]();
});

browserTest('[DASH-43] a tool is tried by a form made of its schema, and its answer is shown', async ({ open }) => {
  const { page } = await open(gateway, '/tools/shop:order?tab=try');
  await page.getByRole('button', { name: 'Call the tool' }).click();
  await page.getByText('A value is needed.').waitFor();
  await page.getByRole('textbox', { name: 'text', exact: true }).fill("it's here");
  await page.getByRole('combobox', { name: 'level' }).selectOption('high');
  await page.getByRole('button', { name: 'Add to tags' }).click();
  await page.getByRole('textbox', { name: 'tags[0]' }).fill('new');
  await page.getByRole('button', { name: 'Add address' }).click();
  await page.getByRole('textbox', { name: 'address.street' }).fill('High Street');
  const sent = { text: "it's here", level: 'high', tags: ['new'], address: { street: 'High Street' } };
  const quoted = JSON.stringify(sent).replace("'", `'\\''`);
  // The program is named with the data folder in use.
  await page.getByText(` call shop:order '${quoted}'`).waitFor();
  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  const json = page.getByRole('textbox', { name: 'Arguments as JSON' });
  assert.deepEqual(JSON.parse(await json.inputValue()), sent);
  await page.getByRole('button', { name: 'Call the tool' }).click();
  const answer = page.getByRole('region', { name: 'Answer', exact: true });
  await answer.getByText('ok', { exact: true }).waitFor();
  await answer.getByText("it's here").first().waitFor();
  assert.deepEqual(await seriousFindings(page), []);
});

browserTest('[DASH-44] a large answer is read page by page', async ({ open }) => {
  const { page } = await open(gateway, '/tools/shop:report?tab=try');
  await page.getByRole('button', { name: 'Call the tool' }).click();
  await page.getByText(/^Page 1 of \d+$/).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText(/^Page 2 of \d+$/).waitFor();
});

browserTest('[DASH-45] a denied tool is missing at once, and the page says why', async ({ open }) => {
  const { page } = await open(gateway, '/servers/shop');
  await page.getByRole('combobox', { name: 'Permission of report' }).selectOption('deny');
  await page.getByRole('row').filter({ hasText: 'report' }).getByText('denied').first().waitFor();
  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  await page.getByRole('textbox', { name: 'Tool or server' }).fill('report');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('Agents do not see "shop:report": its permission is "deny".').waitFor();
  await page.getByRole('link', { name: 'Open server shop' }).click();
  await page.getByRole('combobox', { name: 'Permission of report' }).waitFor();
});

browserTest('[DASH-45] a second tool hidden right after the first does not bring it back', async ({ open }) => {
  const { page } = await open(gateway, '/servers/shop');
  for (const tool of ['report', 'refund']) await page.getByRole('checkbox', { name: `Expose ${tool}` }).click();
  await page.getByRole('status').getByText('Saved.').first().waitFor();
  await page.getByRole('row').filter({ hasText: 'refund' }).getByText('not exposed').waitFor();
  const { settings } = await gateway.gateway.admin.run('servers.show', { name: 'shop' });
  assert.deepEqual(settings.tools, ['order']);
});
