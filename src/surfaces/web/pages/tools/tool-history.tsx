/** How the wording of a tool changed: each change of its server, and each decision about it, with what differs. */

import type { ChangeHistory } from '../../../../admin/admin.ts';
import { actInWords, changeInWords, placeInWords } from '../../../wording/wording.ts';
import { Badge, Empty, Panel, WhenFetched } from '../../parts/basic.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { Time, visibleText } from '../../parts/texts.tsx';
import { useOperation } from '../../state.ts';
import { actTones } from '../review/history.tsx';

/** `name`: the server's own. */
export function ToolHistory({ server, name }: { readonly server: string; readonly name: string }) {
  const answer = useOperation('changes.list', { server, kind: 'tool', name, all: true }, ['definitions', 'tools']);
  return (
    <Panel title="History of its wording">
      <WhenFetched answer={answer}>
        {({ history }) =>
          history.length === 0 ? (
            <Empty title="No history yet" />
          ) : (
            <ol class="history">
              {history.map((entry, at) => (
                <li key={`${at} ${entry.at}`}>
                  <HistoryEntry entry={entry} />
                </li>
              ))}
            </ol>
          )
        }
      </WhenFetched>
    </Panel>
  );
}

function HistoryEntry({ entry }: { readonly entry: ChangeHistory }) {
  const { at, change, act, grade, by, differences, reasons } = entry;
  return (
    <>
      <p class="tools">
        <Time at={at} />
        {change && <strong>{`${changeInWords(change)} by the server`}</strong>}
        {act && <Badge tone={actTones[act] ?? 'plain'}>{actInWords({ act, grade })}</Badge>}
        {by && <span class="soft">{`by ${by}`}</span>}
      </p>
      {reasons.map(({ code, where, sentence }) => (
        <p key={`${code} ${where}`} class="soft said">
          {visibleText(sentence)}
        </p>
      ))}
      {differences.map(({ where, before, after }) => (
        <div key={where}>
          <h3>{visibleText(placeInWords(where))}</h3>
          <TextDiff label={placeInWords(where)} before={before} after={after} titles={['Before', 'After']} />
        </div>
      ))}
    </>
  );
}
