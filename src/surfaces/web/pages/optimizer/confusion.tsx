/** Which tools were taken for which, as a shaded table that a screen reader can read too. */

import { useState } from 'preact/hooks';
import type { OutputOf } from '../../../../admin/admin.ts';
import { nameWithin } from '../../../wording/wording.ts';
import { Button, Empty, Panel, WhenFetched } from '../../parts/basic.tsx';
import { Said } from '../../parts/texts.tsx';
import { useOperation } from '../../state.ts';

type Confusions = OutputOf<'optimize.confusions'>;

export function ConfusionPanel({ server }: { readonly server: string }) {
  const answer = useOperation('optimize.confusions', { server }, ['tools', 'optimizer']);
  const [isOwn, setOwn] = useState(false);
  return (
    <Panel
      title="Confusions"
      tools={
        <>
          <Button label="As shown now" aria-pressed={!isOwn} onClick={() => setOwn(false)} />
          <Button label="Own descriptions" aria-pressed={isOwn} onClick={() => setOwn(true)} />
        </>
      }
    >
      <WhenFetched answer={answer}>
        {({ own, shown }) => <ConfusionTable matrix={isOwn ? own : shown} server={server} />}
      </WhenFetched>
    </Panel>
  );
}

function ConfusionTable({ matrix, server }: { readonly matrix: Confusions['own']; readonly server: string }) {
  if (matrix.rows.length === 0) return <Empty title="Not measured yet">Optimize a tool that has golden prompts.</Empty>;
  const name = (tool: string | null, none: string) => (tool === null ? none : nameWithin(server, tool));
  return (
    <>
      <p>
        <small>
          Each row is a tool that prompts were meant for, each column the tool that was chosen. Counts are of prompts.
        </small>
      </p>
      <div class="scroll">
        <table class="matrix" aria-label="Tools that were chosen for tools that were meant">
          <thead>
            <tr>
              <th scope="col">Meant ↓ chosen →</th>
              {matrix.chosen.map((tool) => (
                <th key={tool} scope="col">
                  <Said text={name(tool, 'no tool')} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.rows.map(({ meant, counts }) => (
              <tr key={meant}>
                <th scope="row">
                  <Said text={name(meant, 'another, or none')} />
                </th>
                {counts.map((count, at) => (
                  <ConfusionCell
                    key={matrix.chosen[at]}
                    count={count}
                    all={counts.reduce((sum, one) => sum + one, 0)}
                    isRight={isRight(meant, matrix.chosen[at] ?? null)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** undefined: what is right for "another, or none" depends on the prompt. */
function isRight(meant: string | null, chosen: string | null): boolean | undefined {
  return meant === null && chosen !== null ? undefined : meant === chosen;
}

/** The more of the row, the stronger. */
const shades = { right: '--data-1', wrong: '--data-2', open: '--data-7' } as const;

interface CellProps {
  readonly count: number;
  readonly all: number;
  readonly isRight: boolean | undefined;
}

function ConfusionCell({ count, all, isRight: right }: CellProps) {
  const kind = right === undefined ? 'open' : right ? 'right' : 'wrong';
  const share = Math.round(15 + (65 * count) / Math.max(1, all));
  const background = `color-mix(in srgb, var(${shades[kind]}) ${share}%, var(--panel))`;
  return (
    <td class={count === 0 ? 'soft' : 'number'} style={count === 0 ? {} : { background }}>
      {count === 0 ? '·' : count}
      {count > 0 && right !== undefined && <span class="unseen"> {kind}</span>}
    </td>
  );
}
