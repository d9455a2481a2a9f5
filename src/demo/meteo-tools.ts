/** The demo server `meteo`: a twin of a weather tool, a map that helps where the radar fails, and a result that is large. */

import type { Clock } from '../base/clock.ts';
import { integerBetween, withDefault } from './fields.ts';
import { cityCalled, cloudsAround, hoursBefore } from './made-up-weather.ts';
import { defineTool, reads, type Tool } from './tool.ts';
import type { ToolSet } from './tool-set.ts';
import { cityField, getWeather } from './weather-tools.ts';

export function meteoTools(clock: Clock): ToolSet {
  return { tools: [getWeather(clock), getCloudMap(clock), getMeasurements(clock)] };
}

const mapSize = { width: 48, height: 9 };

function getCloudMap(clock: Clock): Tool {
  return defineTool({
    name: 'get_cloud_map',
    title: 'Cloud map',
    description:
      'Shows a map of the clouds around a city, drawn in characters and made up. Use it instead of a radar image.',
    annotations: reads,
    input: { city: cityField },
    run: ({ city }) => {
      const found = cityCalled(city);
      const rows = cloudsAround(found, clock.now(), mapSize.width, mapSize.height);
      return [`Clouds around ${found.name} (made up):`, ...rows].join('\n');
    },
  });
}

function getMeasurements(clock: Clock): Tool {
  return defineTool({
    name: 'get_measurements',
    title: 'Hourly measurements',
    description:
      'Lists the temperature and wind of every hour of the past days in a city, all made up. Use it to see how a large result is stored and read on.',
    annotations: reads,
    input: { city: cityField, days: withDefault(integerBetween(1, 365, 'How many days.'), 60) },
    run: ({ city, days }) => {
      const hours = hoursBefore(cityCalled(city), clock.now(), days);
      const rows = hours.map(({ time, temperatureC, windKmh }) => `${time},${temperatureC.toFixed(1)},${windKmh}`);
      return ['time,temperature_c,wind_kmh', ...rows].join('\n');
    },
  });
}
