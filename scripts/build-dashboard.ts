/** Builds the dashboard (`src/surfaces/web`) into `dist/dashboard`, where the gateway finds it. */

import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const config: InlineConfig = {
  configFile: false,
  root: folder('../src/surfaces/web'),
  // Names of files, never addresses: the page works below any path.
  base: './',
  logLevel: 'warn',
  build: {
    outDir: folder('../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page lets nothing be loaded from its own text.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
};

try {
  const { build } = await import('vite');
  await build(config);
} catch (error) {
  // Development packages may be missing: the gateway runs without the dashboard, and its page says how to build it.
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.startsWith("Cannot find package 'vite'")) throw error;
  console.warn('The dashboard was not built, because the packages for development are missing.');
}
