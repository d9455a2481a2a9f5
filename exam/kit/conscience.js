/**
 * Loaded into the gateway under examination before its own code: on SIGUSR2 it writes down what nobody could see from
 * outside, namely whether the prototype of all objects has gained a member. Types in it would cost each start a tenth of a
 * second, because they are stripped before the gateway turns its code cache on.
 */

import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.EXAM_CONSCIENCE;

if (isMainThread && file !== undefined) {
  process.on('SIGUSR2', () => {
    const members = [Object.prototype, Array.prototype, Function.prototype].flatMap((one) => Object.keys(one));
    writeFileSync(file, JSON.stringify({ polluted: {}.polluted ?? null, members }));
  });
}
