/** Tools with the state and the figures of their descriptions. */

import { promptClasses, type ReportedTool, shareOfClass, statusWords } from '../../../wording/wording.ts';
import { Badge, Empty, type Tone } from '../../parts/basic.tsx';
import { extra, numberColumn, type RowColumn, Rows } from '../../parts/rows.tsx';
import { formatCount, formatShare, Said } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';

export type OptimizerRow = ReportedTool & { readonly server: string };

const statusTones: Readonly<Record<ReportedTool['status'], Tone>> = {
  optimized: 'good',
  baseline: 'plain',
  unoptimized: 'quiet',
};

export function OptimizerStatus({ status }: Pick<ReportedTool, 'status'>) {
  return <Badge tone={statusTones[status]}>{statusWords[status]}</Badge>;
}

const columns: readonly RowColumn<OptimizerRow>[] = [
  {
    title: 'Status',
    show: (row) => <OptimizerStatus status={row.status} />,
    order: ({ status }) => status,
    isExtra: true,
  },
  ...promptClasses.map((name) =>
    numberColumn(
      `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      (row: OptimizerRow) => shareOfClass(row, name),
      formatShare,
      extra,
    ),
  ),
  {
    title: 'Found',
    show: ({ diagnosis: { finding } }) => (finding ? `${finding.right} of ${finding.all}` : '–'),
    order: ({ diagnosis: { finding } }) => (finding ? finding.right / finding.all : -1),
    isNumber: true,
    isExtra: true,
  },
  numberColumn(
    'Says',
    ({ diagnosis: { answered } }) => answered,
    (answered) => `${answered} of 6`,
    extra,
  ),
  numberColumn('Prompts', ({ promptCount }) => promptCount, formatCount, extra),
  numberColumn(
    'To gain',
    ({ diagnosis: { expectedGain } }) => expectedGain,
    (gain) => (gain < 10 ? gain.toFixed(2) : formatCount(Math.round(gain))),
  ),
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
    below: (row) => <OptimizerStatus status={row.status} />,
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
