/** Weather that never was: made up from the city and the date, and therefore always the same for both. */

import { nearest } from '../base/nearest.ts';
import { addDays, dateOf, daysBetween, isoDate } from './calendar.ts';
import { ToolRefusal } from './tool-refusal.ts';

export interface City {
  readonly name: string;
  readonly country: string;
  /** The mean temperature of the year. */
  readonly meanC: number;
  /** How much warmer July is than the mean; negative in the south. */
  readonly julyC: number;
}

export interface DayWeather {
  readonly date: string;
  readonly condition: string;
  readonly highC: number;
  readonly lowC: number;
  readonly rainPercent: number;
  readonly windKmh: number;
}

const cities: readonly City[] = [
  { name: 'Berlin', country: 'Germany', meanC: 10, julyC: 10 },
  { name: 'Cairo', country: 'Egypt', meanC: 22, julyC: 7 },
  { name: 'Lima', country: 'Peru', meanC: 19, julyC: -3 },
  { name: 'London', country: 'United Kingdom', meanC: 11, julyC: 7 },
  { name: 'Mumbai', country: 'India', meanC: 27, julyC: 1 },
  { name: 'Nairobi', country: 'Kenya', meanC: 19, julyC: -2 },
  { name: 'New York', country: 'United States', meanC: 13, julyC: 13 },
  { name: 'Oslo', country: 'Norway', meanC: 6, julyC: 12 },
  { name: 'Paris', country: 'France', meanC: 12, julyC: 8 },
  { name: 'Reykjavík', country: 'Iceland', meanC: 5, julyC: 6 },
  { name: 'São Paulo', country: 'Brazil', meanC: 20, julyC: -4 },
  { name: 'Sydney', country: 'Australia', meanC: 18, julyC: -6 },
  { name: 'Tokyo', country: 'Japan', meanC: 16, julyC: 10 },
  { name: 'Toronto', country: 'Canada', meanC: 9, julyC: 13 },
];

const skies = ['clear sky', 'a few clouds', 'overcast', 'fog', 'showers', 'rain'] as const;

/** The city of that name, whatever its case and accents. Throws a `ToolRefusal` that says which cities exist. */
export function cityCalled(name: string): City {
  const city = cities.find((one) => folded(one.name) === folded(name));
  if (city) return city;
  const names = cities.map((one) => one.name);
  const [near] = nearest(folded(name), names, 1);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new ToolRefusal(`There is no weather for ${JSON.stringify(name)}.${hint} This demo knows ${names.join(', ')}.`);
}

/** One entry a day, the first for the day on which `nowMs` lies in UTC. */
export function forecastFor(city: City, nowMs: number, days: number): readonly DayWeather[] {
  const today = dateOf(isoDate(new Date(nowMs)));
  return Array.from({ length: days }, (_, index) => weatherOn(city, addDays(today, index)));
}

export interface HourWeather {
  readonly time: string;
  readonly temperatureC: number;
  readonly windKmh: number;
}

/** One entry an hour, the oldest first, for the days before the one on which `nowMs` lies in UTC. */
export function hoursBefore(city: City, nowMs: number, days: number): readonly HourWeather[] {
  const today = dateOf(isoDate(new Date(nowMs)));
  const past = Array.from({ length: days }, (_, index) => weatherOn(city, addDays(today, index - days)));
  return past.flatMap(({ date, highC, lowC, windKmh }) =>
    Array.from({ length: 24 }, (_, hour) => ({
      time: `${date} ${String(hour).padStart(2, '0')}:00`,
      // Warmest at three in the afternoon.
      temperatureC:
        Math.round(((highC + lowC) / 2 + ((highC - lowC) / 2) * Math.cos(((hour - 15) / 12) * Math.PI)) * 10) / 10,
      windKmh,
    })),
  );
}

const cloudMarks: readonly string[] = [' ', '░', '▒', '▓'];

/** The clouds around a city on the day of `nowMs`: rows of marks, the denser the cloud the darker, with the city in the middle. */
export function cloudsAround(city: City, nowMs: number, width: number, height: number): readonly string[] {
  const date = isoDate(new Date(nowMs));
  // Clouds are wider than one mark: each is the mean of a small neighbourhood.
  const densityAt = (row: number, column: number) => {
    const spots = [-1, 0, 1].map((step) =>
      shareOf(`${city.name}|${date}|${Math.floor(row / 2)}|${Math.floor((column + step) / 3)}`),
    );
    return spots.reduce((sum, spot) => sum + spot, 0) / spots.length;
  };
  return Array.from({ length: height }, (_, row) => {
    const marks = Array.from(
      { length: width },
      (_, column) => cloudMarks[Math.floor(densityAt(row, column) * cloudMarks.length)],
    );
    if (row === Math.floor(height / 2)) marks[Math.floor(width / 2)] = '+';
    return marks.join('').trimEnd();
  });
}

function weatherOn(city: City, day: Date): DayWeather {
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

function folded(name: string): string {
  return name.trim().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
