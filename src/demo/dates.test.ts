/** Time zones and dates: daylight saving, days that do not exist, names that are nearly right. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, dateOf, daysBetween, instantOf, isoDate, readZone, weekdayOf, zonedTime } from './dates.ts';

const noon = Date.parse('2026-07-01T12:00:00Z');
const instant = (time: string, zone: string) => new Date(instantOf(time, zone, noon)).toISOString().slice(0, 16);

test('an instant is shown in the local time of a zone', () => {
  assert.deepEqual(zonedTime(noon, 'Europe/Paris'), {
    timezone: 'Europe/Paris',
    dateTime: '2026-07-01T14:00:00+02:00',
    weekday: 'Wednesday',
  });
  assert.equal(zonedTime(noon, 'Asia/Kolkata').dateTime, '2026-07-01T17:30:00+05:30');
  assert.equal(zonedTime(noon, 'America/St_Johns').dateTime, '2026-07-01T09:30:00-02:30');
  assert.equal(zonedTime(Date.parse('2026-07-01T23:30:00Z'), 'Asia/Tokyo').weekday, 'Thursday');
});

test('a local time means the instant that the zone had then', () => {
  assert.equal(instant('09:30', 'Europe/Paris'), '2026-07-01T07:30');
  assert.equal(instant('2026-01-15T09:30', 'Europe/Paris'), '2026-01-15T08:30');
  assert.equal(instant('2026-01-15 00:10', 'Asia/Tokyo'), '2026-01-14T15:10');
});

test('where clocks are put back the first of two times is meant; where they are put on, the time moves on', () => {
  assert.equal(instant('2026-10-25T02:30', 'Europe/Paris'), '2026-10-25T00:30');
  assert.equal(instant('2026-10-25T03:00', 'Europe/Paris'), '2026-10-25T02:00');
  assert.equal(instant('2026-03-29T02:30', 'Europe/Paris'), '2026-03-29T01:30');
  assert.equal(instant('2026-11-01T01:30', 'America/New_York'), '2026-11-01T05:30');
});

test('an invalid time is refused', () => {
  for (const time of ['25:00', '9:30', '12:60', 'noon', '2026-02-30T10:00', '1026-02-20T10:00', '12:00:00']) {
    assert.throws(() => instantOf(time, 'UTC', noon), { name: 'ToolRefusal' }, time);
  }
});

test('a zone that does not exist is refused with a suggestion', () => {
  assert.equal(readZone('europe/paris'), 'Europe/Paris');
  assert.throws(() => readZone('Paris'), /There is no time zone "Paris"\. Did you mean .*Europe\/Paris/);
  assert.throws(() => readZone('Middle-earth/Bree'), /Use a name such as "Europe\/Paris" or "UTC"/);
});

test('days are counted over leap years and refused where there are none', () => {
  assert.equal(daysBetween(dateOf('2024-02-28'), dateOf('2024-03-01')), 2);
  assert.equal(daysBetween(dateOf('2026-03-01'), dateOf('2026-02-27')), -2);
  assert.equal(isoDate(addDays(dateOf('2026-12-31'), 1)), '2027-01-01');
  assert.equal(isoDate(addDays(dateOf('0001-01-01'), -1)), '0000-12-31');
  assert.equal(weekdayOf(dateOf('2000-02-29')), 'Tuesday');
  for (const text of ['2026-02-29', '2026-13-01', '2026-1-1', 'today', '02026-01-01']) {
    assert.throws(() => dateOf(text), /is no date; write it as "YYYY-MM-DD"/, text);
  }
  assert.throws(() => addDays(dateOf('9999-12-31'), 1), /outside the years/);
});
