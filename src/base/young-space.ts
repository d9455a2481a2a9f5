/** Keeps the part of the heap for young objects as small as it is. */

import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets it grow to 64 MB under load and gives nothing back when the load is over. A gateway idles most of the time; that it
 * is tidied more often costs three percent of the processor time of a call.
 */
export function pinYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
