/** The demo servers `weather` (made-up weather, once quickly, once slowly, and a broken radar) and `meteo` (a twin of one tool, a map that helps where the radar fails, and a large result). */

import { type Clock, sleep } from '../base/clock.ts';
import { type City, cityCalled, cloudsAround, forecastFor, hoursBefore } from './made-up-weather.ts';
import {
  defineTool,
  integerBetween,
  numberBetween,
  objectOf,
  type ToolContext,
  ToolRefusal,
  type ToolSet,
  text,
  withDefault,
} from './tool.ts';

const cityField = text('A city, such as "Paris" or "New York".', 60);
const day = {
  date: 'string',
  condition: 'string',
  highC: { type: 'number', description: 'The highest temperature in degrees Celsius.' },
  lowC: { type: 'number', description: 'The lowest temperature in degrees Celsius.' },
  rainPercent: { type: 'integer', description: 'The chance of rain.' },
  windKmh: 'integer',
} as const;
/** Said in every answer, so that nobody takes an umbrella for it. */
const notice = 'Made-up data for demonstration.';
const location = {
  city: 'string',
  country: 'string',
  notice: { type: 'string', description: 'Says that the data is made up.' },
} as const;
const todaySchema = objectOf({ ...location, ...day });

function weatherToday(city: City, clock: Clock): object {
  const [today] = forecastFor(city, clock.now(), 1);
  return { city: city.name, country: city.country, notice, ...today };
}

const getWeather = defineTool({
  name: 'get_weather',
  title: 'Weather today',
  description:
    'Tells the weather in a city today, with temperature, rain and wind, all made up. Use it to try a call; an unknown city shows how a tool says no.',
  input: { city: cityField },
  output: todaySchema,
  run: ({ city }, { clock }) => weatherToday(cityCalled(city), clock),
});

const getForecast = defineTool({
  name: 'get_forecast',
  title: 'Weather forecast',
  description:
    'Tells how the weather in a city will be tomorrow and on the days after, all made up. Use it to plan ahead: how warm it will be, whether it is going to rain.',
  input: { city: cityField, days: withDefault(integerBetween(1, 7, 'How many days, today included.'), 3) },
  output: objectOf({ ...location, days: { type: 'array', items: objectOf(day) } }),
  run: ({ city, days }, { clock }) => {
    const found = cityCalled(city);
    return { city: found.name, country: found.country, notice, days: forecastFor(found, clock.now(), days) };
  },
});

const getWeatherSlow = defineTool({
  name: 'get_weather_slow',
  title: 'Weather today, slowly',
  description:
    'Does what get_weather does, but takes its time and reports progress. Use it to try progress, cancellation and time limits.',
  input: { city: cityField, seconds: withDefault(numberBetween(0, 120, 'How long it takes.'), 5) },
  output: todaySchema,
  run: async ({ city, seconds }, context) => {
    const found = cityCalled(city);
    await askStations(seconds, context);
    return weatherToday(found, context.clock);
  },
});

async function askStations(seconds: number, { clock, signal, reportProgress }: ToolContext): Promise<void> {
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
  input: { city: cityField },
  run: () => {
    throw new ToolRefusal('The radar service is out of order.');
  },
});

const getCloudMap = defineTool({
  name: 'get_cloud_map',
  title: 'Cloud map',
  description:
    'Shows a map of the clouds around a city, drawn in characters and made up. Use it instead of a radar image.',
  input: { city: cityField },
  run: ({ city }, { clock }) => {
    const found = cityCalled(city);
    return [`Clouds around ${found.name} (made up):`, ...cloudsAround(found, clock.now())].join('\n');
  },
});

const getMeasurements = defineTool({
  name: 'get_measurements',
  title: 'Hourly measurements',
  description:
    'Lists the temperature and wind of every hour of the past days in a city, all made up. Use it to see how a large result is stored and read on.',
  input: { city: cityField, days: withDefault(integerBetween(1, 365, 'How many days.'), 60) },
  run: ({ city, days }, { clock }) =>
    ['time,temperature_c,wind_kmh', ...hoursBefore(cityCalled(city), clock.now(), days)].join('\n'),
});

export const weatherTools: ToolSet = { tools: [getWeather, getForecast, getWeatherSlow, getRadarImage] };
export const meteoTools: ToolSet = { tools: [getWeather, getCloudMap, getMeasurements] };
