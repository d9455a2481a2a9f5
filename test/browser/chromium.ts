/** Chromium on this machine: where it is, and how it is started so that nothing leaves the machine. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const usualPaths = [
  // Without windows, and so cheaper.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const chromiumAdvice =
  'Chromium is missing. Install it (Debian: apt install chromium-headless-shell), or set TOOLCRIB_CHROMIUM to the path of its program.';

/** The program, by TOOLCRIB_CHROMIUM or where it usually is. */
export function findChromium(): string | undefined {
  const wanted = process.env.TOOLCRIB_CHROMIUM;
  return (wanted === undefined ? usualPaths : [wanted]).find((path) => existsSync(path));
}

export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // Its sandbox refuses to run as root, which is who runs tests in containers.
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Names are not looked up: a page that asks for one is found out by its request, and nobody else hears of it.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}
