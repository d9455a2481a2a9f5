/** Another connection for a server, by the form on its page: tried, discarded and kept, with its secrets unseen. */

import assert from 'node:assert/strict';
import { openTestGateway } from '../kit/gateway.ts';
import { serverCommand } from '../servers/launch.ts';
import { browserTest, seriousFindings } from './browser.ts';

const secret = 'q8Zk2-Wm5xT1-rYp';
const inputSchema = { type: 'object' };

function notes(...tools: readonly string[]) {
  const { command, args } = serverCommand({ name: 'notes', tools: tools.map((name) => ({ name, inputSchema })) });
  return { command, args };
}

function lineOf({ command, args }: ReturnType<typeof notes>): string {
  return [command, ...args].map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(' ');
}

browserTest(
  '[DASH-73] a connection is tried, discarded or kept, and its secrets are kept unseen',
  async ({ open, use }) => {
    const gateway = use(await openTestGateway());
    const { admin } = gateway.gateway;
    const spec = { ...notes('read', 'wipe'), env: { NOTES_KEY: secret, NOTES_MODE: 'all', NOTES_REF: `\${HOME}` } };
    await admin.run('servers.add', { name: 'notes', spec });
    const tools = async () => (await admin.run('servers.show', { name: 'notes' })).tools;
    const { page } = await open(gateway, '/servers/notes');
    await page.getByRole('button', { name: 'Edit connection' }).click();
    const line = page.getByRole('textbox', { name: 'Command' });
    const start = page.getByRole('button', { name: 'Start it and show its tools' });
    assert.equal(await page.getByLabel('Value of variable 1').inputValue(), '');
    assert.equal(await page.getByLabel('Value of variable 1').getAttribute('placeholder'), 'Kept');
    assert.equal(await page.getByLabel('Value of variable 3').inputValue(), `\${HOME}`);
    assert.ok(!(await page.content()).includes(secret));

    await line.fill('/no/such/program');
    await start.click();
    await page.getByRole('button', { name: 'Keep anyway' }).waitFor();
    await page.getByRole('button', { name: 'Edit again' }).click();
    await line.fill(lineOf(notes('read', 'search')));
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    await start.click();
    await page.getByText(/^It works, and offers 2 tools/).waitFor();
    await page.getByRole('row').filter({ hasText: 'search' }).getByText('new').waitFor();
    await page.getByText('Removed: wipe').waitFor();
    await page.getByText('This is another program or address').waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(await tools(), ['read', 'wipe']);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('checkbox', { name: 'Expose wipe' }).waitFor();

    await page.getByRole('button', { name: 'Edit connection' }).click();
    await line.fill(lineOf(notes('read', 'search')));
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    assert.deepEqual(await seriousFindings(page), []);
    await start.click();
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('checkbox', { name: 'Expose search' }).waitFor();
    assert.deepEqual(await tools(), ['read', 'search']);
    const { written } = await admin.run('servers.show', { name: 'notes' });
    assert.deepEqual(written?.kind === 'command' && written.env, { NOTES_KEY: null, NOTES_REF: `\${HOME}` });
  },
);
