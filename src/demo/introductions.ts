/** How each demo server introduces itself: its name, and what a person or an agent reads about it first. */

export interface Introduction {
  readonly title: string;
  readonly description: string;
}

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
} as const satisfies Record<string, Introduction>;

export type DemoName = keyof typeof introductions;

export function isDemoName(name: string | undefined): name is DemoName {
  return name !== undefined && Object.hasOwn(introductions, name);
}
