/**
 * Shows the dashboard of a gateway with a day behind it. Without arguments it prints the link and runs until it is ended;
 * `/servers /tools` takes screenshots of these pages and ends. `--light`, `--dark` and `--phone` say which (all, if none is named),
 * `--out FOLDER` where they go. `--config FILE` shows the servers of a config file instead of made-up ones.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContextOptions } from 'playwright-core';
import { chromiumAdvice, findChromium, startChromium } from './chromium.ts';
import { type DayGateway, lookedAt, openDayGateway } from './day-gateway.ts';
import { buildIfOlder } from './fresh-build.ts';
import { openOwnDay } from './own-day.ts';
import { Visit } from './visit.ts';

const desk = { viewport: { width: 1280, height: 800 } };
const looks: Readonly<Record<'light' | 'dark' | 'phone', BrowserContextOptions>> = {
  light: { ...desk, colorScheme: 'light' },
  dark: { ...desk, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light', hasTouch: true },
};

const { values, positionals: routes } = parseArgs({
  allowPositionals: true,
  options: {
    light: { type: 'boolean' },
    dark: { type: 'boolean' },
    phone: { type: 'boolean' },
    out: { type: 'string' },
    config: { type: 'string' },
  },
});

buildIfOlder();
if (routes.length === 0) await showLink();
else await takePictures();

/** For a browser of one's own, in which it is now. */
async function showLink(): Promise<void> {
  const day = await openDay(Date.now());
  const { url } = await day.gateway.admin.run('gateway.signInLink', {});
  console.log(`${url}\nThe link works once. Ctrl-C ends the gateway.`);
  process.once('SIGINT', () => day.close());
}

function openDay(now: number): Promise<Omit<DayGateway, 'servers'>> {
  return values.config === undefined ? openDayGateway({ now }) : openOwnDay(resolve(values.config), now);
}

async function takePictures(): Promise<void> {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error(chromiumAdvice);
  const folder = resolve(values.out ?? mkdtempSync(join(tmpdir(), 'toolcrib-look-')));
  await using day = await openDay(lookedAt);
  await using browser = await startChromium(chromium);
  const named = (['light', 'dark', 'phone'] as const).filter((look) => values[look]);
  for (const look of named.length > 0 ? named : (['light', 'dark', 'phone'] as const)) {
    await using visit = await Visit.begin(browser, day, looks[look]);
    await visit.signIn().catch((error) => report('The first page', error));
    for (const route of routes) await takePicture(visit, route, join(folder, `${fileNameOf(route)}-${look}.png`));
    for (const trouble of new Set(visit.troubles)) console.error(`${look}: ${trouble}`);
  }
}

async function takePicture(visit: Visit, route: string, path: string): Promise<void> {
  await visit.goTo(route).catch((error) => report(route, error));
  await visit.page.screenshot({ path, fullPage: true });
  console.log(path);
}

/** A page that never comes to rest is shown as it is. */
function report(what: string, error: Error): void {
  process.exitCode = 1;
  console.error(`${what} is not at rest: ${error.message.split('\n')[0]}`);
}

/** `/servers/mail-work` becomes `servers-mail-work`. */
function fileNameOf(route: string): string {
  return route.replaceAll(/\W+/g, '-').replace(/^-|-$/g, '') || 'overview';
}
