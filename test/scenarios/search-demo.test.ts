/** The demo as a newcomer meets it: everyday questions lead to the tool that answers them. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { demoServers } from '../../src/demo/demo.ts';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import { discover, keysOf } from '../kit/search-requests.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await openListedGateway({ servers: { ...demoServers() } });
});
after(() => gateway.close());

const questions: Readonly<Record<string, string>> = {
  'what day is it': 'clock:current_time',
  'what time is it in Tokyo': 'clock:current_time',
  'how many days until easter': 'clock:days_between',
  'what date is 30 days from now': 'clock:add_days',
  'what is 17 percent of 340': 'math:calculate',
  'convert miles to kilometers': 'math:convert_units',
  'average of these numbers': 'math:statistics',
  'roll a die': 'math:random_number',
  'flip a coin': 'math:random_number',
  'remind me to buy milk': 'notes:add_note',
  'show all my notes': 'notes:list_notes',
  'temperature in Madrid': 'weather:get_weather',
  'is it going to rain': 'weather:get_forecast',
  'what is the weather in Berlin tomorrow': 'weather:get_forecast',
  'show me a picture of the radar': 'weather:get_radar_image',
};

for (const [question, tool] of Object.entries(questions)) {
  test(`[FIND-21] "${question}" leads to ${tool}`, async () => {
    assert.equal(keysOf(await discover(gateway, question))[0], tool);
  });
}
