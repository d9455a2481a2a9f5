/** The demo servers as the gateway registers them: small offline servers to try search, calls and failures with. */

import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How each server introduces itself: its name, and what a person or an agent reads about it first. */
export const introductions = {
  notes: {
    title: 'Demo notes',
    description: 'A small notebook in memory: add, list, search, change and delete notes. It forgets when it stops.',
  },
  clock: {
    title: 'Demo clock',
    description: 'Dates and times: the current time anywhere, conversion between time zones, counting days.',
  },
  math: {
    title: 'Demo math',
    description: 'Numbers: arithmetic expressions, conversion of units, statistics, random numbers.',
  },
  weather: {
    title: 'Demo weather',
    description: 'Made-up weather for a few cities, with one slow tool and one that always fails, to try both.',
  },
  meteo: {
    title: 'Demo meteo',
    description: 'Made-up weather of a few cities: today, as a cloud map, and hour by hour for a year.',
  },
} as const;

export type DemoName = keyof typeof introductions;

interface DemoServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly title: string;
  readonly description: string;
}

/** Every demo server by name, in the form of an `mcpServers` entry. Started by the Node that runs this. */
export function demoServers(): Record<string, DemoServer> {
  const program = programPath();
  return Object.fromEntries(
    Object.entries(introductions).map(([name, { title, description }]) => [
      name,
      { command: process.execPath, args: [program, name], title, description },
    ]),
  );
}

/** The program lies beside this file and, once compiled, has this file's extension. */
function programPath(): string {
  const extension = extname(fileURLToPath(import.meta.url));
  return fileURLToPath(new URL(`./demo-server${extension}`, import.meta.url));
}
