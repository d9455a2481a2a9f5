/** A sign of life while something takes time, on a terminal only. */

import type { Output } from './print.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 90;
const eraseLine = '\r\u001b[2K';

/** Shows `label` with a turning sign until the work is done, then leaves no trace of it. */
export async function showProgress<T>(output: Output, label: string, work: () => Promise<T>): Promise<T> {
  if (output.isTTY !== true) return work();
  let at = 0;
  const draw = () => {
    output.write(`${eraseLine}${frames[at % frames.length]} ${label}`);
    at += 1;
  };
  draw();
  const timer = setInterval(draw, frameMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    output.write(eraseLine);
  }
}
