/** Units: conversions both ways, names, and what cannot be converted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statisticsOf } from './math.ts';
import { convertUnits, unitSymbols } from './units.ts';

test('measurements are converted', () => {
  assert.deepEqual(convertUnits(5, 'miles', 'Kilometers'), { result: 8.04672, from: 'mi', to: 'km', kind: 'length' });
  assert.equal(convertUnits(212, 'F', 'C').result, 100);
  assert.equal(convertUnits(-40, 'celsius', '°F').result, -40);
  assert.equal(convertUnits(0, 'K', 'C').result, -273.15);
  assert.equal(convertUnits(90, 'km/h', 'm/s').result, 25);
  assert.equal(convertUnits(6, 'feet', 'in').result, 72);
  assert.equal(convertUnits(1, 'GiB', 'MB').result, 1073.741824);
});

test('every unit has a symbol of its own, which is enough to use it', () => {
  assert.equal(new Set(unitSymbols.map((symbol) => symbol.toLowerCase())).size, unitSymbols.length);
  for (const symbol of unitSymbols) assert.equal(convertUnits(7, symbol, symbol).result, 7, symbol);
});

test('unknown units and units of different kinds are refused', () => {
  assert.throws(() => convertUnits(1, 'km', 'kg'), /km measures length and kg measures mass/);
  assert.throws(() => convertUnits(1, 'kilometr', 'm'), /no unit "kilometr" here\. Did you mean "kilometer"\?/);
  assert.throws(() => convertUnits(1, 'parsec', 'm'), /These exist: mm, cm/);
  assert.throws(() => convertUnits(1, 'constructor', 'm'), /no unit "constructor"/);
});

test('statistics of odd and even counts', () => {
  const odd = { count: 3, sum: 12, mean: 4, median: 2, minimum: 1, maximum: 9, standardDeviation: Math.sqrt(38 / 3) };
  assert.deepEqual(statisticsOf([9, 1, 2]), odd);
  assert.equal(statisticsOf([10, 2, 4, 1]).median, 3);
  assert.equal(statisticsOf([5]).standardDeviation, 0);
});
