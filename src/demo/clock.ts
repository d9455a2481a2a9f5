/** The demo server `clock`: the current time, time zones and counting days. */

import { addDays, dateOf, daysBetween, instantOf, isoDate, ownZone, readZone, weekdayOf, zonedTime } from './dates.ts';
import { defineTool, integerBetween, objectOf, optional, type ToolSet, text } from './tool.ts';

const zoneExample = 'such as "Europe/Paris", "America/New_York" or "UTC"';
const zonedSchema = objectOf({
  timezone: 'string',
  dateTime: { type: 'string', description: 'Date, time and UTC offset in ISO 8601.' },
  weekday: 'string',
});

const currentTime = defineTool({
  name: 'current_time',
  title: 'Current day, date and time',
  description:
    'Tells what day it is today and what time it is now, here or in any time zone. Use it whenever the day, the date or the time matters.',
  input: { timezone: optional(text(`An IANA time zone, ${zoneExample}. Without it: that of this computer.`, 60)) },
  output: zonedSchema,
  run: ({ timezone }, { clock }) => zonedTime(clock.now(), timezone === undefined ? ownZone() : readZone(timezone)),
});

const convertTime = defineTool({
  name: 'convert_time',
  title: 'Convert a time between time zones',
  description:
    'Converts a time of day from one time zone to another, daylight saving included. Use it to plan calls across the world.',
  input: {
    time: text('"HH:MM" for today, or "YYYY-MM-DDTHH:MM" for another day.', 16),
    from: text(`The time zone that the time is given in, ${zoneExample}.`, 60),
    to: text('The time zone that is wanted.', 60),
  },
  output: objectOf({
    from: zonedSchema,
    to: zonedSchema,
    differenceHours: { type: 'number', description: 'How far the wanted zone is ahead of the given one.' },
  }),
  run: ({ time, from, to }, { clock }) => {
    const [fromZone, toZone] = [readZone(from), readZone(to)];
    const instant = instantOf(time, fromZone, clock.now());
    const [given, wanted] = [zonedTime(instant, fromZone), zonedTime(instant, toZone)];
    const localMs = (dateTime: string) => Date.parse(`${dateTime.slice(0, 19)}Z`);
    const differenceHours = (localMs(wanted.dateTime) - localMs(given.dateTime)) / 3_600_000;
    return { from: given, to: wanted, differenceHours };
  },
});

const countDays = defineTool({
  name: 'days_between',
  title: 'Days between two dates',
  description:
    'Counts how many days there are between two dates. Use it for the days until a holiday or a deadline, or since something happened.',
  input: { start: text('The first date, "YYYY-MM-DD".', 10), end: text('The second date, "YYYY-MM-DD".', 10) },
  output: objectOf({
    days: { type: 'integer', description: 'Negative when the end lies before the start.' },
    startWeekday: 'string',
    endWeekday: 'string',
  }),
  run: ({ start, end }) => {
    const [first, second] = [dateOf(start), dateOf(end)];
    return { days: daysBetween(first, second), startWeekday: weekdayOf(first), endWeekday: weekdayOf(second) };
  },
});

const moveDate = defineTool({
  name: 'add_days',
  title: 'Add days to a date',
  description:
    'Tells which date is some days after or before another. Use it to find out when something is due, such as 30 days from now.',
  input: {
    date: text('The date to count from, "YYYY-MM-DD".', 10),
    days: integerBetween(-1_000_000, 1_000_000, 'How many days later; negative for earlier.'),
  },
  output: objectOf({ date: 'string', weekday: 'string' }),
  run: ({ date, days }) => {
    const found = addDays(dateOf(date), days);
    return { date: isoDate(found), weekday: weekdayOf(found) };
  },
});

export const clockTools: ToolSet = { tools: [currentTime, convertTime, countDays, moveDate] };
