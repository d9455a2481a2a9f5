/** One gateway with a day behind it for all tests of a process that only look; it closes when the last of their files has ended. */

import { after } from 'node:test';
import { type DayGateway, openDayGateway } from './day-gateway.ts';

let users = 0;
let day: Promise<DayGateway> | undefined;

/** To be called while tests are declared, by everybody who will ask for it. */
export function declareLooking(): void {
  users += 1;
  after(async () => {
    users -= 1;
    if (users > 0) return;
    const opened = day;
    day = undefined;
    await (await opened)?.close();
  });
}

/** Look, and change nothing. */
export function sharedDay(): Promise<DayGateway> {
  day ??= openDayGateway();
  return day;
}
