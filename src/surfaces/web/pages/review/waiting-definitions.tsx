/** Definitions that wait or are worth a look: server by server, one by one or several at once. */

import { useState } from 'preact/hooks';
import type { DefinitionChange, OutputOf, ReasonGroup } from '../../../../admin/admin.ts';
import { plural } from '../../../../base/plural.ts';
import { upgradeInWords } from '../../../wording/wording.ts';
import { Badge, Panel } from '../../parts/basic.tsx';
import { Ago, Said } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOrder } from '../../state.ts';
import { DefinitionCard } from './definition-card.tsx';
import {
  changeKey,
  changesInUpgrade,
  countStates,
  decisionOrders,
  isWaiting,
  type ServerChanges,
  sortChanges,
} from './sort-changes.ts';

/** One decision about several definitions. */
interface Deciding {
  readonly isRunning: boolean;
  readonly decide: (decision: 'approve' | 'reject', changes: readonly DefinitionChange[]) => void;
}

function useDeciding(): Deciding {
  const { isRunning, give } = useOrder();
  const decide = async (decision: 'approve' | 'reject', changes: readonly DefinitionChange[]) => {
    const done = decision === 'approve' ? 'accepted' : 'rejected';
    for (const order of decisionOrders(changes))
      await give(
        `changes.${decision}`,
        order,
        `${plural(order.only.length, 'definition')} of ${order.server} ${done}. Undo it under History.`,
      );
  };
  return { isRunning, decide: (...order) => void decide(...order) };
}

interface WaitingDefinitionsProps {
  readonly list: OutputOf<'changes.list'>;
  /** Those of the list that are shown. */
  readonly changes: readonly DefinitionChange[];
}

export function WaitingDefinitions({ list, changes }: WaitingDefinitionsProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const deciding = useDeciding();
  const select = (keys: readonly string[], isOn: boolean) =>
    setSelected((before) => (isOn ? before.union(new Set(keys)) : before.difference(new Set(keys))));
  return (
    <>
      {sortChanges({ ...list, changes }).map((own) => (
        <ServerReview key={own.server} own={own} selected={selected} onSelect={select} deciding={deciding} />
      ))}
      <BulkBar
        chosen={changes.filter((change) => selected.has(changeKey(change)))}
        deciding={deciding}
        onClear={() => setSelected(new Set())}
      />
    </>
  );
}

interface BulkBarProps {
  readonly chosen: readonly DefinitionChange[];
  readonly deciding: Deciding;
  readonly onClear: () => void;
}

/** Stays in sight while something is selected. */
function BulkBar({ chosen, deciding: { isRunning, decide }, onClear }: BulkBarProps) {
  if (chosen.length === 0) return null;
  const act = (decision: 'approve' | 'reject') => () => {
    decide(decision, chosen);
    onClear();
  };
  return (
    <section class="bulk tools" aria-label="Selected definitions">
      <strong>{plural(chosen.length, 'definition')} selected</strong>
      <button type="button" class="main" disabled={isRunning} onClick={act('approve')}>
        Accept selected
      </button>
      <button type="button" class="danger" disabled={isRunning} onClick={act('reject')}>
        Reject selected
      </button>
      <button type="button" onClick={onClear}>
        Clear
      </button>
    </section>
  );
}

interface ServerReviewProps {
  readonly own: ServerChanges;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (keys: readonly string[], isOn: boolean) => void;
  readonly deciding: Deciding;
}

/** Cards that are drawn before all are asked for. */
const mostCards = 30;

function ServerReview({ own, selected, onSelect, deciding }: ServerReviewProps) {
  const { server, groups, changes } = own;
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? changes : changes.slice(0, mostCards);
  const waiting = changes.filter(isWaiting).length;
  return (
    <Panel
      title={server}
      tools={
        <>
          <Badge tone={waiting > 0 ? 'bad' : 'warn'}>{countStates(changes)}</Badge>
          <a href={pageLink(['review'], { tab: 'history', server })}>History</a>
        </>
      }
    >
      <UpgradeReview own={own} deciding={deciding} />
      {changes.length > 3 && <ReasonLines groups={groups} changes={changes} onSelect={onSelect} />}
      <div class="cards">
        {shown.map((change) => (
          <DefinitionCard
            key={changeKey(change)}
            change={change}
            isSelected={selected.has(changeKey(change))}
            isRunning={deciding.isRunning}
            isOpenAtFirst={changes.length === 1}
            onSelect={(isOn) => onSelect([changeKey(change)], isOn)}
            onDecide={(decision) => deciding.decide(decision, [change])}
          />
        ))}
      </div>
      {shown.length < changes.length && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {changes.length}
        </button>
      )}
    </Panel>
  );
}

/** One decision for all that came with another version of the server. */
function UpgradeReview({ own, deciding }: { readonly own: ServerChanges; readonly deciding: Deciding }) {
  const { upgrade } = own;
  if (!upgrade) return null;
  const brought = changesInUpgrade(own);
  const lists = [
    ['New', upgrade.added],
    ['Changed', upgrade.changed],
    ['Removed', upgrade.removed],
  ] as const;
  return (
    <div class="upgrade">
      <div>
        <p>
          <strong>
            Upgraded from <Said text={upgrade.from} /> to <Said text={upgrade.to} />
          </strong>
          , <Ago at={upgrade.at} />: {upgradeInWords(upgrade)}
        </p>
        {lists.map(([title, keys]) => keys.length > 0 && <UpgradePart key={title} title={title} keys={keys} />)}
      </div>
      {brought.length > 0 && (
        <div class="tools">
          <button
            type="button"
            class="main"
            disabled={deciding.isRunning}
            onClick={() => deciding.decide('approve', brought)}
          >
            Accept this upgrade
          </button>
          <button
            type="button"
            class="danger"
            disabled={deciding.isRunning}
            onClick={() => deciding.decide('reject', brought)}
          >
            Reject this upgrade
          </button>
        </div>
      )}
    </div>
  );
}

/** Names that are shown at once. */
const mostNames = 8;

function UpgradePart({ title, keys }: { readonly title: string; readonly keys: readonly string[] }) {
  const names = (some: readonly string[]) => some.map((key) => key.slice(key.indexOf(':') + 1)).join(', ');
  const rest = keys.length - mostNames;
  return (
    <p>
      {title}: <Said text={names(keys.slice(0, mostNames))} />
      {rest > 0 && (
        <details class="inline">
          <summary>and {rest} more</summary>
          <Said text={names(keys.slice(mostNames))} />
        </details>
      )}
    </p>
  );
}

interface ReasonLinesProps {
  readonly groups: readonly ReasonGroup[];
  readonly changes: readonly DefinitionChange[];
  readonly onSelect: (keys: readonly string[], isOn: boolean) => void;
}

/** Several definitions share a reason: it is read once, and they are selected together. */
function ReasonLines({ groups, changes, onSelect }: ReasonLinesProps) {
  const meant = ({ keys, isWaiting: waits }: ReasonGroup) =>
    changes.filter((change) => keys.includes(change.key) && isWaiting(change) === waits).map(changeKey);
  return (
    <ul class="reasons">
      {groups.map((group) => (
        <li key={`${group.isWaiting} ${group.code}`} class={group.isWaiting ? 'grave' : 'mild'}>
          <span>
            <strong>{group.keys.length}</strong>: {group.words}
          </span>
          <button type="button" class="plain link" onClick={() => onSelect(meant(group), true)}>
            Select {group.keys.length === 1 ? 'it' : 'these'}
          </button>
        </li>
      ))}
    </ul>
  );
}
