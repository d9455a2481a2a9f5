/** Tools with the state and the figures of their descriptions. */

import { Badge, Empty, type Tone } from '../../parts/basic.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { formatShare, Said } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { promptClasses, type ReportedTool, shareOfClass } from './figures.ts';

export type OptimizerRow = ReportedTool & { readonly server: string };

/** In common words: what `optimized`, `baseline` and `unoptimized` mean to a reader. */
export const statusWords: Readonly<Record<ReportedTool['status'], { readonly label: string; readonly tone: Tone }>> = {
  optimized: { label: 'optimized', tone: 'good' },
  baseline: { label: 'measured', tone: 'plain' },
  unoptimized: { label: 'not measured', tone: 'quiet' },
};

export function OptimizerStatus({ status }: Pick<ReportedTool, 'status'>) {
  const { label, tone } = statusWords[status];
  return <Badge tone={tone}>{label}</Badge>;
}

const columns: readonly RowColumn<OptimizerRow>[] = [
  { title: 'Status', show: (row) => <OptimizerStatus status={row.status} />, order: ({ status }) => status },
  ...promptClasses.map(
    (name): RowColumn<OptimizerRow> => ({
      title: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      show: (row) => formatShare(shareOfClass(row, name)),
      order: (row) => shareOfClass(row, name) ?? -1,
      isNumber: true,
      isExtra: true,
    }),
  ),
  {
    title: 'Found',
    show: ({ diagnosis: { finding } }) => (finding ? `${finding.right} of ${finding.all}` : '–'),
    order: ({ diagnosis: { finding } }) => (finding ? finding.right / finding.all : -1),
    isNumber: true,
    isExtra: true,
  },
  {
    title: 'Says',
    show: ({ diagnosis: { answered } }) => `${answered} of 6`,
    order: ({ diagnosis: { answered } }) => answered,
    isNumber: true,
    isExtra: true,
  },
  { title: 'Prompts', show: (row) => row.promptCount, order: (row) => row.promptCount, isNumber: true, isExtra: true },
  {
    title: 'To gain',
    show: ({ diagnosis: { expectedGain } }) => expectedGain.toFixed(expectedGain < 10 ? 2 : 0),
    order: ({ diagnosis: { expectedGain } }) => expectedGain,
    isNumber: true,
  },
];

/** `isWhole`: tools are named with their servers. */
export function OptimizerTools({
  rows,
  isWhole,
}: {
  readonly rows: readonly OptimizerRow[];
  readonly isWhole: boolean;
}) {
  const keyOf = ({ server, name }: OptimizerRow) => `${server}:${name}`;
  const first: RowColumn<OptimizerRow> = {
    title: 'Tool',
    show: (row) => <Said text={isWhole ? keyOf(row) : row.name} />,
    order: keyOf,
  };
  return (
    <>
      <Rows
        label="Tools"
        rows={rows}
        columns={[first, ...columns]}
        keyOf={keyOf}
        linkOf={({ server, name }) => pageLink(['optimizer', server, name])}
        empty={<Empty title="No tools">No server has listed its tools yet.</Empty>}
      />
      <p>
        <small>
          Direct, indirect, negative: golden prompts that lead where they should. Found: prompts that lead to the tool
          now. Says: questions that its description answers. To gain only orders the tools.
        </small>
      </p>
    </>
  );
}
