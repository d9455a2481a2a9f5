/** The optimizer page: how descriptions do, on which prompts and why, and jobs with their progress. */

import assert from 'node:assert/strict';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { openRealSizeHost } from '../kit/real-size.ts';
import { browserTest, seriousFindings } from './browser.ts';
import { sharedDay } from './shared-day.ts';

browserTest(
  '[DASH-31] a tool shows its descriptions, figures, confusions and each prompt with its answers',
  async ({ open }) => {
    const visit = await open(await sharedDay(), '/optimizer/toolbox');
    const { page } = visit;
    await page.getByText('1/12 tools optimized').waitFor();
    const matrix = page.getByRole('table', { name: 'Tools that were chosen for tools that were meant' });
    await matrix.getByRole('row', { name: /^days_between .*8 right .*1 wrong/ }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByRole('link', { name: 'days_between' }).click();
    await page.getByText('102 characters').first().waitFor();
    const first = page.getByRole('article', { name: 'Candidate 1' });
    await first.getByRole('row', { name: /^overall 7 of 12 \(58 %\) → 11 of 12 \(92 %\)/ }).waitFor();
    const prompt = page.getByRole('row').filter({ hasText: 'How long until my passport expires' });
    assert.match((await prompt.innerText()).replace(/\s+/g, ' '), /✗ wrong ✓ right ✓ right/);
    await prompt.locator('summary').click();
    await prompt.getByText('chose toolbox:time_since. Another description is nearer to this need.').waitFor();
    assert.deepEqual(await seriousFindings(page), []);
  },
);

browserTest(
  '[DASH-31] a job is estimated, started and followed; its candidate is promoted and reverted',
  async ({ open, use }) => {
    const host = use(await openRealSizeHost({ only: ['toolbox'] }));
    const gateway = use(await openTestGateway({ servers: host.servers, config: { optimize: { enabled: true } } }));
    await savePrompts(gateway);
    const { page } = await open(gateway, '/optimizer/toolbox/time_since');
    await page.getByRole('button', { name: 'Edit …' }).click();
    const { admin } = gateway.gateway;
    const { prompts } = await admin.run('optimize.prompts', timeSince);
    await assert.rejects(
      admin.run('optimize.prompts', { ...timeSince, prompts, seen: [] }),
      /changed since you opened/,
    );
    await admin.run('optimize.prompts', { ...timeSince, prompts: prompts.toReversed() });
    await page.getByText('The list of prompts changed since you opened this form.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save prompts' }).isDisabled());
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Propose …' }).click();
    const text = 'Tells how long ago a moment was, or how long it is until then. For dates use days_between.';
    await page.getByRole('textbox', { name: /^Description/ }).fill(text);
    await page.getByRole('button', { name: 'Save candidate' }).click();
    const candidate = page.getByRole('article', { name: 'Candidate 1' });
    await candidate.getByText('Not measured yet.').waitFor();
    await page.getByRole('button', { name: 'Optimize …' }).click();
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByText('6 prompts of 1 tool, with 2 descriptions').waitFor();
    await page.getByRole('button', { name: 'Start job' }).click();
    await candidate.getByRole('table', { name: 'Figures by search' }).waitFor();
    await candidate.getByRole('button', { name: 'Promote' }).click();
    await page.getByLabel('Reason to promote it anyway').fill('It is shorter.');
    await page.getByRole('button', { name: 'Promote anyway' }).click();
    await candidate.getByText('shown to agents').waitFor();
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
    await candidate.getByRole('button', { name: 'Promote' }).waitFor();
    await page.getByRole('link', { name: 'Optimizer' }).first().click();
    await page.getByRole('button', { name: 'Show outcome' }).click();
    await page.getByRole('region', { name: /^Outcome of job_/ }).waitFor();
  },
);

browserTest('[DASH-31] where the optimizer is off, the page says how to switch it on', async ({ open, use }) => {
  const gateway = use(await openTestGateway());
  const { page } = await open(gateway, '/optimizer');
  await page.getByText('The optimizer is off').waitFor();
  await page.getByText('--enable-optimization').waitFor();
});

const timeSince = { server: 'toolbox', tool: 'time_since' };

async function savePrompts({ gateway: { admin } }: TestGateway): Promise<void> {
  const said = {
    direct: ['How long ago was the moon landing?', 'How long is it until New Year, in words?'],
    indirect: ['Is this backup from Tuesday still fresh?', 'Does the milk of last Friday still count as new?'],
    negative: ['What time is it now in Lima, please?', 'Translate this letter into Spanish.'],
  } as const;
  const prompts = Object.entries(said).flatMap(([category, texts]) =>
    texts.map((prompt) => ({ category: category as keyof typeof said, prompt })),
  );
  await admin.run('optimize.prompts', { ...timeSince, prompts });
}
