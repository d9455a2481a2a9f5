/** The tasks of an owner, from the first page on, with the number of clicks that each takes. */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { browserTest } from './browser.ts';
import { type DayGateway, openDayGateway } from './day-gateway.ts';

let day: DayGateway | undefined;
before(async () => {
  day = await openDayGateway();
});
after(() => day?.close());

/** A person who clicks, types and chooses; each click and each choice from a list counts. */
class Hand {
  clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  async choose(label: string, value: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole('combobox', { name: label }).first().selectOption(value);
  }

  toPage(name: string): Promise<void> {
    return this.click(this.page.getByRole('navigation').getByRole('link', { name }));
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }
}

/** Each task with the clicks that it may take, by its name. */
const tasks: Readonly<Record<string, { readonly most: number; readonly act: (hand: Hand) => Promise<void> }>> = {
  'find out why a tool is missing': {
    most: 2,
    async act(hand) {
      await hand.toPage('Tools');
      await hand.page.getByLabel('Tool or server').fill('scraper:save_page');
      await hand.click(hand.button('Explain'));
      await hand.page.getByText('it is withheld until you approve it').waitFor();
    },
  },
  'accept an upgrade': {
    most: 2,
    async act(hand) {
      await hand.click(hand.page.getByRole('link', { name: /^notes/ }));
      await hand.click(hand.button('Accept this upgrade'));
      await hand.button('Accept this upgrade').waitFor({ state: 'detached' });
    },
  },
  'try a tool': {
    most: 4,
    async act(hand) {
      await hand.toPage('Tools');
      await hand.page.getByPlaceholder('Filter').fill('git_status');
      await hand.click(hand.page.getByRole('link', { name: 'git:git_status', exact: true }));
      await hand.click(hand.page.getByRole('link', { name: 'Try it' }));
      await hand.page.getByRole('textbox', { name: 'repo_path' }).fill('project');
      await hand.click(hand.button('Call the tool'));
      await hand.page.getByRole('region', { name: 'Answer', exact: true }).waitFor();
    },
  },
  'make a token for a colleague': {
    most: 3,
    async act(hand) {
      await hand.toPage('Access');
      await hand.click(hand.button('Create a token'));
      await hand.page.getByRole('textbox', { name: /^Name/ }).fill('carol');
      await hand.click(hand.button('Create token'));
      await hand.page
        .getByText(/tc_[\w-]{10,}/)
        .first()
        .waitFor();
    },
  },
  'see what failed this morning': {
    most: 3,
    async act(hand) {
      await hand.toPage('Calls');
      await hand.choose('Outcome', 'not-ok');
      await hand.choose('Time', '24h');
      const rows = hand.page.getByRole('table', { name: 'Calls' }).getByRole('row');
      await rows.nth(3).waitFor();
      assert.equal(await hand.page.getByRole('table', { name: 'Calls' }).getByText('ok', { exact: true }).count(), 0);
    },
  },
};

for (const [name, { most, act }] of Object.entries(tasks))
  browserTest(`[DASH-70] ${name}: at most ${most} clicks from the first page`, async ({ open }) => {
    assert.ok(day);
    const hand = new Hand((await open(day)).page);
    await act(hand);
    assert.ok(hand.clicks <= most, `${hand.clicks} clicks`);
  });
