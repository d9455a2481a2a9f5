/** A sign of life while something takes time. */

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

/** Work that takes longer than this is named where there is no terminal, too. */
const sayAfterMs = 500;

/** The same for work that may take long: elsewhere than on a terminal, one line says what it waits for. */
export async function tellProgress<T>(output: Output, label: string, work: () => Promise<T>): Promise<T> {
  if (output.isTTY === true) return showProgress(output, label, work);
  const timer = setTimeout(() => output.write(`${label} …\n`), sayAfterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
