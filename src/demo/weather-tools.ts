/** The demo server `weather`: made-up weather, once quickly, once slowly, and a radar that is always broken. */

import { type Clock, sleep } from '../base/clock.ts';
import { integerBetween, numberBetween, text, withDefault } from './fields.ts';
import { type City, cityCalled, forecastFor } from './made-up-weather.ts';
import { defineTool, objectOf, reads, type Tool, type ToolContext } from './tool.ts';
import { ToolRefusal } from './tool-refusal.ts';
import type { ToolSet } from './tool-set.ts';

export function weatherTools(clock: Clock): ToolSet {
  return { tools: [getWeather(clock), getForecast(clock), getWeatherSlow(clock), getRadarImage] };
}

export const cityField = text('A city, such as "Paris" or "New York".', 60);

const day = {
  date: { type: 'string' },
  condition: { type: 'string' },
  highC: { type: 'number', description: 'The highest temperature in degrees Celsius.' },
  lowC: { type: 'number', description: 'The lowest temperature in degrees Celsius.' },
  rainPercent: { type: 'integer', description: 'The chance of rain.' },
  windKmh: { type: 'integer' },
} as const;

/** Said in every answer, so that nobody takes an umbrella for it. */
const notice = 'Made-up data for demonstration.';

const place = {
  city: { type: 'string' },
  country: { type: 'string' },
  notice: { type: 'string', description: 'Says that the data is made up.' },
} as const;

const todaySchema = objectOf({ ...place, ...day });

function weatherToday(city: City, clock: Clock): object {
  const [today] = forecastFor(city, clock.now(), 1);
  return { city: city.name, country: city.country, notice, ...today };
}

export function getWeather(clock: Clock): Tool {
  return defineTool({
    name: 'get_weather',
    title: 'Weather today',
    description:
      'Tells the weather in a city today, with temperature, rain and wind, all made up. Use it to try a call; an unknown city shows how a tool says no.',
    annotations: reads,
    input: { city: cityField },
    output: todaySchema,
    run: ({ city }) => weatherToday(cityCalled(city), clock),
  });
}

function getForecast(clock: Clock): Tool {
  return defineTool({
    name: 'get_forecast',
    title: 'Weather forecast',
    description:
      'Tells how the weather in a city will be tomorrow and on the days after, all made up. Use it to plan ahead: how warm it will be, whether it is going to rain.',
    annotations: reads,
    input: { city: cityField, days: withDefault(integerBetween(1, 7, 'How many days, today included.'), 3) },
    output: objectOf({ ...place, days: { type: 'array', items: objectOf(day) } }),
    run: ({ city, days }) => {
      const found = cityCalled(city);
      return { city: found.name, country: found.country, notice, days: forecastFor(found, clock.now(), days) };
    },
  });
}

function getWeatherSlow(clock: Clock): Tool {
  return defineTool({
    name: 'get_weather_slow',
    title: 'Weather today, slowly',
    description:
      'Does what get_weather does, but takes its time and reports progress. Use it to try progress, cancellation and time limits.',
    annotations: reads,
    input: { city: cityField, seconds: withDefault(numberBetween(0, 120, 'How long it takes.'), 5) },
    output: todaySchema,
    run: async ({ city, seconds }, context) => {
      const found = cityCalled(city);
      await askStations(clock, seconds, context);
      return weatherToday(found, clock);
    },
  });
}

async function askStations(clock: Clock, seconds: number, { signal, reportProgress }: ToolContext): Promise<void> {
  const stations = 5;
  for (let done = 1; done <= stations; done += 1) {
    await sleep(clock, (seconds * 1_000) / stations, signal);
    reportProgress(done, stations, `Asked station ${done} of ${stations}.`);
  }
}

const getRadarImage = defineTool({
  name: 'get_radar_image',
  title: 'Radar image',
  description:
    'Would show a radar image of the clouds around a city, but always fails. Use it to see how failures are reported.',
  annotations: reads,
  input: { city: cityField },
  run: () => {
    throw new ToolRefusal('The radar service is out of order.');
  },
});
