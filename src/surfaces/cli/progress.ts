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

const barWidth = 20;

/** Shows how far work is, as a bar on a terminal; elsewhere a line whenever `step` is another one. `text` says the same in words. */
export class ProgressBar {
  readonly #output: Output;
  #step: string | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  show({ percent, step, text }: { readonly percent: number; readonly step: string; readonly text: string }): void {
    const isOther = step !== this.#step;
    this.#step = step;
    if (this.#output.isTTY !== true) return void (isOther && this.#output.write(`${text}\n`));
    const full = Math.round((barWidth * percent) / 100);
    const bar = `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${String(Math.floor(percent)).padStart(3)} %  ${text}`;
    this.#output.write(`${eraseLine}${bar.slice(0, (this.#output.columns ?? 80) - 1)}`);
  }

  /** Leaves no trace of it on a terminal. */
  end(): void {
    if (this.#output.isTTY === true) this.#output.write(eraseLine);
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
