/** Call sequences as pictures, one for each group of tools that lead to each other, with the same figures as a table below. */

import { Empty } from '../../parts/basic.tsx';
import { numberColumn, type RowColumn, Rows } from '../../parts/rows.tsx';
import { formatCount, formatShare, Said, visibleText } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { type FlowLink, type FlowPicture, layOutFlows, type ToolPair } from './flow-layout.ts';

/** In pixels. */
const size = { width: 340, row: 42, dot: 5, edge: 14, label: 14 };
/** A line that passes other tools makes a bow around them: so wide for each, no wider than that, and further out on its way back. */
const bow = { each: 12, most: 54, back: 8 };
const lineWidth = { least: 1.5, most: 8 };
const mostCharacters = 34;

const columns: readonly RowColumn<ToolPair>[] = [
  { title: 'After', show: ({ before }) => <Said text={before} />, order: ({ before }) => before },
  { title: 'comes', show: ({ after }) => <Said text={after} />, order: ({ after }) => after },
  numberColumn('Times', ({ count }) => count, formatCount),
  numberColumn('Share', ({ share }) => share, formatShare),
];

export function ToolFlow({ pairs }: { readonly pairs: readonly ToolPair[] }) {
  if (pairs.length === 0)
    return <Empty title="No sequences yet">They appear once agents call one tool after another.</Empty>;
  const most = Math.max(...pairs.map(({ count }) => count));
  return (
    <>
      <div class="flows">
        {layOutFlows(pairs).map((flow) => (
          <FlowShown key={flow.toolKeys.join(' ')} flow={flow} most={most} />
        ))}
      </div>
      <small>The thicker a line, the more often. A dashed one leads back.</small>
      <details>
        <summary>As a table</summary>
        <Rows
          label="Call sequences"
          rows={pairs}
          columns={columns}
          keyOf={({ before, after }) => `${before} ${after}`}
          linkOf={({ before }) => pageLink(['tools', before])}
          empty={null}
        />
      </details>
    </>
  );
}

interface FlowShownProps {
  readonly flow: FlowPicture;
  /** The count of the strongest link of all pictures. */
  readonly most: number;
}

function FlowShown({ flow: { toolKeys, links }, most }: FlowShownProps) {
  const x = size.edge + Math.max(0, ...links.map((link) => bowOf(link)));
  return (
    <svg
      class="flow"
      viewBox={`0 0 ${size.width} ${(toolKeys.length - 1) * size.row + 2 * size.edge}`}
      role="img"
      aria-label={`Called one after the other: ${toolKeys.map(visibleText).join(', ')}. The table below has the figures.`}
    >
      {links.map((link) => (
        <FlowLine key={`${link.pair.before} ${link.pair.after}`} link={link} x={x} most={most} />
      ))}
      {toolKeys.map((toolKey, at) => (
        <g key={toolKey}>
          <circle cx={x} cy={yOf(at)} r={size.dot} />
          <FlowText x={x + size.label} y={yOf(at)} text={toolKey} />
        </g>
      ))}
    </svg>
  );
}

function yOf(place: number): number {
  return size.edge + place * size.row;
}

/** 0: a straight line to the next tool. */
function bowOf({ from, to }: FlowLink): number {
  if (to === from + 1) return 0;
  return Math.min(bow.most, bow.each * Math.abs(to - from)) + (to > from ? 0 : bow.back);
}

interface FlowLineProps extends Pick<FlowShownProps, 'most'> {
  readonly link: FlowLink;
  readonly x: number;
}

function FlowLine({ link, x, most }: FlowLineProps) {
  const { pair, from, to } = link;
  const width = lineWidth.least + ((lineWidth.most - lineWidth.least) * pair.count) / most;
  const [start, end, side] = [yOf(from), yOf(to), x - (4 / 3) * bowOf(link)];
  const tip = end - Math.sign(end - start) * size.dot;
  const isStraight = side === x;
  // One that follows itself leaves above its dot and comes back below.
  const [low, high] = from === to ? [start - 10, start + 10] : [start, end];
  return (
    <g>
      <path
        class={to > from ? 'flow-line' : 'flow-line back'}
        d={isStraight ? `M ${x} ${start} V ${tip}` : `M ${x} ${low} C ${side} ${low} ${side} ${high} ${x} ${high}`}
        stroke-width={width}
      >
        <title>{visibleText(lineText(pair))}</title>
      </path>
      {isStraight && (
        <text class="flow-count" x={x + size.label} y={(start + end) / 2} dominant-baseline="central">
          ↓ {formatCount(pair.count)} × ({formatShare(pair.share)})
        </text>
      )}
    </g>
  );
}

function lineText({ before, after, count, share }: ToolPair): string {
  const often = share >= 0.5 ? 'usually' : 'sometimes';
  return `After ${before}, ${often} ${after}: ${formatCount(count)} times, ${formatShare(share)}`;
}

function FlowText({ x, y, text }: { readonly x: number; readonly y: number; readonly text: string }) {
  const shown = visibleText(text);
  return (
    <text x={x} y={y} dominant-baseline="central">
      <title>{shown}</title>
      {shown.length <= mostCharacters ? shown : `${shown.slice(0, mostCharacters - 1)}…`}
    </text>
  );
}
