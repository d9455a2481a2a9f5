/** A chart of figures over time: lines or stacked bars. It has a legend, the figures under the pointer, and a summary in words. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { type ChartLine, describeChart, stackLines, stepText } from './chart-data.ts';
import { formatCount } from './texts.tsx';

interface ChartProps {
  readonly label: string;
  readonly kind: 'lines' | 'bars';
  /** The beginning of each step, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly stepMs: number;
  readonly lines: readonly ChartLine[];
  readonly format?: (value: number) => string;
}

const height = 170;
const dark = matchMedia('(prefers-color-scheme: dark)');

export function Chart({ label, kind, times, stepMs, lines, format = formatCount }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const [pointed, setPointed] = useState<number | undefined>();
  const isDark = useIsDark();
  const drawn = kind === 'bars' ? stackLines(lines) : lines;
  // A bar stands in the middle of its step.
  const shift = kind === 'bars' ? stepMs / 2 : 0;
  const data = [
    times.map((at) => (at + shift) / 1_000),
    ...drawn.map(({ values }) => [...values]),
  ] as UPlot.AlignedData;
  const shape = JSON.stringify([kind, stepMs, isDark, drawn.map(({ name, colour }) => [name, colour])]);
  // The data of the first drawing; later ones come below.
  const latest = useRef({ data, drawn, format });
  latest.current = { data, drawn, format };
  useLayoutEffect(() => {
    const own = frame.current;
    if (!own) return;
    const options = optionsFor(own, kind, stepMs, latest.current.drawn, (value) => latest.current.format(value));
    const onPoint = ({ cursor }: UPlot) => setPointed(cursor.idx ?? undefined);
    const made = new UPlot({ ...options, hooks: { setCursor: [onPoint] } }, latest.current.data, own);
    plot.current = made;
    const seen = new ResizeObserver(() => made.setSize({ width: own.clientWidth, height }));
    seen.observe(own);
    return () => {
      seen.disconnect();
      made.destroy();
    };
  }, [shape]);
  useLayoutEffect(() => plot.current?.setData(latest.current.data), [JSON.stringify(data)]);
  const at = pointed !== undefined && pointed < times.length ? pointed : undefined;
  return (
    <figure class="chart">
      <figcaption class="tools spread">
        <strong>{label}</strong>
        <span class="soft">{at === undefined ? '' : stepText(times[at] ?? 0, stepMs)}</span>
        <span class="unseen">{describeChart(times, stepMs, lines, format)}</span>
      </figcaption>
      <div class="chart-frame" ref={frame} aria-hidden="true" />
      <ul class="list legend" aria-hidden="true">
        {lines.map(({ name, colour, values }) => (
          <li key={name}>
            <span class="swatch" style={{ background: `var(${colour})` }} />
            {name}
            {at !== undefined && <b>{valueText(values[at], format)}</b>}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function useIsDark(): boolean {
  const [isDark, setDark] = useState(dark.matches);
  useLayoutEffect(() => {
    const onChange = () => setDark(dark.matches);
    dark.addEventListener('change', onChange);
    return () => dark.removeEventListener('change', onChange);
  }, []);
  return isDark;
}

/** Canvas knows no variables of the style sheet: an element has to say what they stand for. */
function colourIn(frame: HTMLElement, name: string): string {
  frame.style.color = `var(${name})`;
  return getComputedStyle(frame).color;
}

function optionsFor(
  frame: HTMLElement,
  kind: ChartProps['kind'],
  stepMs: number,
  lines: readonly ChartLine[],
  format: (value: number) => string,
): UPlot.Options {
  const [soft, line] = [colourIn(frame, '--soft'), colourIn(frame, '--line')];
  const bars = UPlot.paths.bars?.({ size: [0.8, 40] });
  const room = kind === 'bars' ? stepMs / 2_000 : 0;
  const axis = { stroke: soft, font: '12px system-ui, sans-serif', ticks: { show: false } };
  return {
    width: frame.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    tzDate: (seconds) =>
      stepMs < 86_400_000 ? new Date(seconds * 1_000) : UPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    scales: {
      x: { range: (_, least, most) => [least - room, most + room] },
      y: { range: (_, __, most) => [0, Math.max(1, most) * 1.08] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        values: (_, splits) => splits.map((at) => stepText(at * 1_000, stepMs)),
      },
      {
        ...axis,
        size: 56,
        space: 36,
        grid: { stroke: line, width: 1 },
        // Half a call is no call.
        values: (_, splits) => splits.map((at) => (kind === 'bars' && !Number.isInteger(at) ? '' : at && format(at))),
      },
    ],
    series: [
      {},
      ...lines.map(({ name, colour }): UPlot.Series => {
        const ink = colourIn(frame, colour);
        return kind === 'bars' && bars
          ? { label: name, fill: ink, paths: bars, points: { show: false } }
          : { label: name, stroke: ink, width: 2, spanGaps: true };
      }),
    ],
  };
}
