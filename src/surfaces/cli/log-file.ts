/** A log in a file that does not grow without end: a full one is moved aside, and one old one is kept. */

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export const maxLogFileBytes = 5 * 1_024 * 1_024;

/** Returns the function that writes a line. It never throws: a log that cannot be written must not stop the gateway. */
export function openLogFile(file: string, maxBytes = maxLogFileBytes): (line: string) => void {
  let size = sizeOf(file);
  return (line) => {
    try {
      if (size === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const bytes = Buffer.byteLength(line);
      if ((size ?? 0) > 0 && (size ?? 0) + bytes > maxBytes) {
        renameSync(file, `${file}.1`);
        size = 0;
      }
      appendFileSync(file, line, { mode: 0o600 });
      size = (size ?? 0) + bytes;
    } catch {
      // There is nowhere left to say so.
    }
  };
}

/** Undefined while there is no such file. */
function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
