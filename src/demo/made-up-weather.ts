/** Weather that never was: made up from the city and the date, and therefore always the same for both. */

import { nearest } from '../base/nearest.ts';
import { addDays, dateOf, daysBetween, isoDate } from './dates.ts';
import { ToolRefusal } from './tool.ts';

export interface City {
  readonly name: string;
  readonly country: string;
  /** The mean temperature of the year. */
  readonly meanC: number;
  /** How much warmer July is than the mean; negative in the south. */
  readonly julyC: number;
}

const table: readonly (readonly [name: string, country: string, meanC: number, julyC: number])[] = [
  ['Berlin', 'Germany', 10, 10],
  ['Cairo', 'Egypt', 22, 7],
  ['Lima', 'Peru', 19, -3],
  ['London', 'United Kingdom', 11, 7],
  ['Mumbai', 'India', 27, 1],
  ['Nairobi', 'Kenya', 19, -2],
  ['New York', 'United States', 13, 13],
  ['Oslo', 'Norway', 6, 12],
  ['Paris', 'France', 12, 8],
  ['Reykjavík', 'Iceland', 5, 6],
  ['São Paulo', 'Brazil', 20, -4],
  ['Sydney', 'Australia', 18, -6],
  ['Tokyo', 'Japan', 16, 10],
  ['Toronto', 'Canada', 9, 13],
];
const cities = table.map(([name, country, meanC, julyC]): City => ({ name, country, meanC, julyC }));
const skies = ['clear sky', 'a few clouds', 'overcast', 'fog', 'showers', 'rain'] as const;

/** The city of that name, whatever its case and accents. Throws a `ToolRefusal` that says which cities exist. */
export function cityCalled(name: string): City {
  const folded = (one: string) => one.trim().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const city = cities.find((one) => folded(one.name) === folded(name));
  if (city) return city;
  const names = cities.map((one) => one.name);
  const [near] = nearest(folded(name), names, 1);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new ToolRefusal(`There is no weather for ${JSON.stringify(name)}.${hint} This demo knows ${names.join(', ')}.`);
}

/** One entry a day, the first `offset` days away from the one on which `nowMs` lies in UTC. */
export function forecastFor(
  city: City,
  nowMs: number,
  days: number,
  offset = 0,
): readonly ReturnType<typeof weatherOn>[] {
  const today = dateOf(isoDate(new Date(nowMs)));
  return Array.from({ length: days }, (_, index) => weatherOn(city, addDays(today, index + offset)));
}

/** One line an hour, the oldest first, for the days before the one on which `nowMs` lies in UTC. */
export function hoursBefore(city: City, nowMs: number, days: number): readonly string[] {
  return forecastFor(city, nowMs, days, -days).flatMap(({ date, highC, lowC, windKmh }) =>
    Array.from({ length: 24 }, (_, hour) => {
      // Warmest at three in the afternoon.
      const temperatureC = (highC + lowC) / 2 + ((highC - lowC) / 2) * Math.cos(((hour - 15) / 12) * Math.PI);
      return `${date} ${String(hour).padStart(2, '0')}:00,${(Math.round(temperatureC * 10) / 10).toFixed(1)},${windKmh}`;
    }),
  );
}

const cloudMarks = [' ', '░', '▒', '▓'];
const map = { width: 48, height: 9 };

/** The clouds around a city on the day of `nowMs`: rows of marks, the denser the cloud the darker, with the city in the middle. */
export function cloudsAround(city: City, nowMs: number): readonly string[] {
  const date = isoDate(new Date(nowMs));
  // Clouds are wider than one mark: each is the mean of a small neighbourhood.
  const densityAt = (row: number, column: number) =>
    [-1, 0, 1]
      .map((step) => shareOf(`${city.name}|${date}|${Math.floor(row / 2)}|${Math.floor((column + step) / 3)}`))
      .reduce((sum, spot) => sum + spot, 0) / 3;
  return Array.from({ length: map.height }, (_, row) => {
    const markAt = (column: number) => cloudMarks[Math.floor(densityAt(row, column) * cloudMarks.length)];
    const marks = Array.from({ length: map.width }, (_, column) => markAt(column));
    if (row === Math.floor(map.height / 2)) marks[map.width / 2] = '+';
    return marks.join('').trimEnd();
  });
}

function weatherOn(city: City, day: Date) {
  const date = isoDate(day);
  const chance = (what: string) => shareOf(`${city.name}|${date}|${what}`);
  const middle = city.meanC + city.julyC * season(day) + (chance('temperature') - 0.5) * 8;
  const span = 3 + chance('span') * 4;
  const sky = skies[Math.floor(chance('sky') * skies.length)] ?? skies[0];
  const isWet = sky === 'rain' || sky === 'showers';
  return {
    date,
    condition: isWet && middle < 0 ? 'snow' : sky,
    highC: Math.round(middle + span),
    lowC: Math.round(middle - span),
    rainPercent: Math.round(chance('rain') * 40 + (isWet ? 60 : 0)),
    windKmh: Math.round(chance('wind') ** 2 * 50),
  };
}

/** 1 in the middle of July, -1 half a year away from it. */
function season(day: Date): number {
  const dayOfYear = daysBetween(dateOf(`${isoDate(day).slice(0, 4)}-01-01`), day);
  return Math.cos(((dayOfYear - 196) / 365) * 2 * Math.PI);
}

/** A number from 0 up to 1 that depends on the text alone (FNV-1a, then mixed so that like texts differ in all bits). */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}
