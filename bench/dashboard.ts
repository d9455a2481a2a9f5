/**
 * Measures the dashboard in Chromium, on a gateway with 3,000 tools and 100,000 calls: what it loads and how soon it is at rest;
 * what an event costs the page, and if its memory grows, at 200 calls a second; and what the gateway pays for being looked at,
 * as a ratio of slices with the page open and closed that take turns. `--minutes` says how long the page is watched.
 */

import { parseArgs } from 'node:util';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { chromiumAdvice, findChromium, startChromium } from '../test/browser/chromium.ts';
import { type DashboardStage, openDashboardStage } from './dashboard-stage.ts';
import { callEvenly } from './kit/even-calls.ts';
import { cpuMs } from './kit/process-figures.ts';
import { median, rounded } from './kit/statistics.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    tools: { type: 'string', default: '3000' },
    calls: { type: 'string', default: '100000' },
  },
});

const callsPerSecond = 200;
const sliceMs = 6_000;
/** Of slices with the page open, closed, and closed again: the last two should not differ. */
const rounds = 4;
const pages = ['/', '/#/calls', '/#/tools'];
const restMs = 60_000;

const program = findChromium();
if (program === undefined) throw new Error(chromiumAdvice);
const browser = await startChromium(program);
await using stage = await openDashboardStage({ tools: Number(values.tools), calls: Number(values.calls) });
try {
  console.table(await measureLoading(browser, stage));
  console.table([await measurePage(browser, stage, Number(values.minutes))]);
  await measureGateway(browser, stage);
} finally {
  await browser.close();
}

async function openPage({ admin }: Pick<DashboardStage, 'admin'>, from: Browser): Promise<Page> {
  const page = await (await from.newContext({ reducedMotion: 'reduce' })).newPage();
  const { url } = await admin.run('gateway.signInLink', {});
  await page.goto(url);
  await atRest(page);
  return page;
}

function atRest(page: Page): Promise<void> {
  return page.locator('html[data-state="ready"]').waitFor({ state: 'attached', timeout: restMs });
}

/** Each page as the first one of a browser that remembers nothing but its sign-in. */
async function measureLoading(from: Browser, open: DashboardStage): Promise<object[]> {
  const rows: object[] = [];
  for (const path of pages) {
    const page = await openPage(open, from);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    let [bytes, requests] = [0, 0];
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
      requests += 1;
    });
    const times: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      [bytes, requests] = [0, 0];
      await page.goto('about:blank');
      const start = performance.now();
      await page.goto(`${open.gateway.url}${path}`);
      await atRest(page);
      times.push(performance.now() - start);
    }
    rows.push({
      page: path,
      'kB over the wire': rounded(bytes / 1_000, 1),
      requests,
      'ms to rest': rounded(median(times), 0),
    });
    await page.context().close();
  }
  return rows;
}

/** The page with the timeline, while calls come. */
async function measurePage(from: Browser, open: DashboardStage, minutes: number): Promise<object> {
  const page = await openPage(open, from);
  await page.goto(`${open.gateway.url}/#/calls`);
  await atRest(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await callEvenly(open.target, callsPerSecond, 2_000);
  const heapFirst = await heapMb(session);
  const before = await taskMs(session);
  const start = performance.now();
  let made = 0;
  while (performance.now() - start < minutes * 60_000)
    made += await callEvenly(open.target, callsPerSecond, Math.min(10_000, minutes * 60_000));
  const spent = (await taskMs(session)) - before;
  const seconds = (performance.now() - start) / 1_000;
  const heapLast = await heapMb(session);
  await page.context().close();
  return {
    'calls/s': rounded(made / seconds, 0),
    'ms of the main thread per call': rounded(spent / made),
    'share of the main thread': rounded(spent / (10 * seconds), 1),
    'heap MB first': rounded(heapFirst, 1),
    'heap MB last': rounded(heapLast, 1),
  };
}

async function taskMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1_000_000;
}

async function measureGateway(from: Browser, open: DashboardStage): Promise<void> {
  const costs: Record<'open' | 'closed' | 'again', number[]> = { open: [], closed: [], again: [] };
  for (let round = 0; round < rounds; round += 1) {
    costs.closed.push(await cpuOfCall(open));
    const page = await openPage(open, from);
    await page.goto(`${open.gateway.url}/#/calls`);
    await atRest(page);
    costs.open.push(await cpuOfCall(open));
    await page.context().close();
    costs.again.push(await cpuOfCall(open));
  }
  const closed = median([...costs.closed, ...costs.again]);
  console.info(
    `CPU of a call at ${callsPerSecond} a second: ${rounded(closed)} ms closed, ${rounded(median(costs.open))} ms with the page open.`,
  );
  console.info(
    `Open ${rounded(median(costs.open) / closed, 2)} × closed (to reach: 1.15); closed a second time ${rounded(median(costs.again) / median(costs.closed), 2)} × the first.`,
  );
}

/** Processor time of the gateway for one call. */
async function cpuOfCall(open: DashboardStage): Promise<number> {
  await callEvenly(open.target, callsPerSecond, 1_000);
  const before = cpuMs(open.gateway.pid);
  const calls = await callEvenly(open.target, callsPerSecond, sliceMs);
  return (cpuMs(open.gateway.pid) - before) / calls;
}
