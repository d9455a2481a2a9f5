/** Shows that work goes on: on a terminal one line with a bar or a turning sign and the time, which leaves no trace. */

import { visibleLine } from '../../base/visible.ts';
import type { OnProgress } from '../../door/door.ts';
import type { CommandContext } from './context.ts';
import type { Output } from './print.ts';

/** How far the work is. */
export interface ProgressState {
  /** Replaces the label. */
  readonly text?: string | undefined;
  /** The part that is done, from 0 to 1, where that is known. */
  readonly done?: number | undefined;
  /** Its current step: elsewhere than on a terminal, each new one gets a line. */
  readonly step?: string | undefined;
}

export type ReportProgress = (state: ProgressState) => void;
type Work<T> = (report: ReportProgress) => Promise<T>;

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 90;
const eraseLine = '\r\u001b[2K';
const defaultColumns = 80;

/** Shows `label` until the work is done; elsewhere than on a terminal, nothing. */
export async function showProgress<T>(output: Output, label: string, work: Work<T>): Promise<T> {
  if (output.isTTY !== true) return work(() => {});
  const startedAt = performance.now();
  let state: ProgressState = {};
  const draw = () => {
    const line = progressLine({ text: label, ...state }, performance.now() - startedAt);
    output.write(`${eraseLine}${line.slice(0, (output.columns ?? defaultColumns) - 1)}`);
  };
  draw();
  const timer = setInterval(draw, frameMs);
  try {
    return await work((next) => {
      state = next;
    });
  } finally {
    clearInterval(timer);
    output.write(eraseLine);
  }
}

/** Shows what a tool reports while it is called. Nobody listens to it where nothing is shown. */
export function showCallProgress<T>(
  { notes }: CommandContext,
  label: string,
  work: (onProgress: OnProgress | undefined) => Promise<T>,
): Promise<T> {
  return showProgress(notes, label, (report) =>
    work(notes.isTTY === true ? (told) => report(reported(told, label)) : undefined),
  );
}

/** Servers write what they like, so each member is looked at. */
function reported({ progress, total, message }: Readonly<Record<string, unknown>>, label: string): ProgressState {
  const isShare = typeof progress === 'number' && typeof total === 'number' && total > 0;
  const count = typeof progress === 'number' && !isShare ? ` (${progress})` : '';
  const text = typeof message === 'string' ? visibleLine(`${label}: ${message}`) : `${label}${count}`;
  return { text, done: isShare ? progress / total : undefined };
}

/** Work that takes longer than this is named where there is no terminal, too. */
const sayAfterMs = 500;

/** The same for work that may take long: elsewhere than on a terminal, lines say what it waits for and where it is. */
export async function tellProgress<T>(output: Output, label: string, work: Work<T>): Promise<T> {
  if (output.isTTY === true) return showProgress(output, label, work);
  const timer = setTimeout(() => output.write(`${label} …\n`), sayAfterMs);
  let told: string | undefined;
  try {
    return await work(({ text = label, step }) => {
      if (step === undefined || step === told) return;
      clearTimeout(timer);
      told = step;
      output.write(`${text}\n`);
    });
  } finally {
    clearTimeout(timer);
  }
}

const barWidth = 20;
/** Before that much is done and that much time has passed, an estimate would be a guess. */
const estimate = { fromDone: 0.05, fromMs: 2_000 } as const;

/** The line after `elapsedMs`: `⠹ Asking for tools, 3 s`, or `████░░ 40 %  Reading prompts, 8 s, about 12 s left`. */
export function progressLine({ text = '', done }: ProgressState, elapsedMs: number): string {
  const time = elapsedMs < 1_000 ? '' : `, ${inSeconds(elapsedMs)}`;
  if (done === undefined) return `${frames[Math.floor(elapsedMs / frameMs) % frames.length]} ${text}${time}`;
  const part = Math.min(1, Math.max(0, done));
  const full = Math.round(barWidth * part);
  const percent = String(Math.floor(part * 100)).padStart(3);
  const isKnown = part >= estimate.fromDone && part < 1 && elapsedMs >= estimate.fromMs;
  const left = isKnown ? `, about ${inSeconds((elapsedMs * (1 - part)) / part)} left` : '';
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${percent} %  ${text}${time}${left}`;
}

function inSeconds(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
