/** The program `demo-server NAME`: serves one demo tool set over standard input and output until the input ends. */

import { systemClock } from '../base/clock.ts';
import { Conversation } from './conversation.ts';
import { type DemoName, introductions, isDemoName } from './introductions.ts';
import { serveStdio } from './serve-stdio.ts';
import type { ToolSet } from './tool-set.ts';

/** Loaded on demand, so that a server starts without reading the tools of the others. */
const makers: Readonly<Record<DemoName, () => Promise<ToolSet>>> = {
  notes: async () => (await import('./notes-tools.ts')).notesTools(systemClock),
  clock: async () => (await import('./clock-tools.ts')).clockTools(systemClock),
  math: async () => (await import('./math-tools.ts')).mathTools(Math.random),
  weather: async () => (await import('./weather-tools.ts')).weatherTools(systemClock),
  meteo: async () => (await import('./meteo-tools.ts')).meteoTools(systemClock),
};

const name = process.argv[2];
if (isDemoName(name)) {
  const host = { name, ...introductions[name], toolSet: await makers[name]() };
  serveStdio((send) => new Conversation(host, send));
} else {
  const names = Object.keys(introductions).join(', ');
  const wanted = name === undefined ? 'Name a demo server' : `There is no demo server ${JSON.stringify(name)}`;
  process.stderr.write(`${wanted}; these exist: ${names}.\n`);
  process.exitCode = 2;
}
