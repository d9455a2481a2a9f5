/** Lines that a person pastes on stdin. */

import { createInterface } from 'node:readline';
import type { CliHost } from './context.ts';

/** Ends with the input, or when nobody waits for it any more. */
export async function* readPastedLines(input: CliHost['stdin'], signal: AbortSignal): AsyncGenerator<string> {
  const lines = createInterface({ input, terminal: false, signal });
  try {
    for await (const line of lines) if (line.trim() !== '') yield line.trim();
  } finally {
    lines.close();
    // A terminal that is still being read would keep the process from ending.
    input.pause();
  }
}
