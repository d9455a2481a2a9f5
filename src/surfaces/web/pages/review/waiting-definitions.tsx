/** Definitions that wait or are worth a look: server by server, one by one or several at once. */

import { useState } from 'preact/hooks';
import type { DefinitionChange, OutputOf, ReasonGroup, ServerUpgrade } from '../../../../admin/admin.ts';
import { plural } from '../../../../base/plural.ts';
import {
  changeKey,
  changesInUpgrade,
  countStates,
  decisionOrders,
  isWaiting,
  type ServerChanges,
  sortChanges,
  upgradeInWords,
} from '../../../wording/wording.ts';
import { Badge, Button, Panel } from '../../parts/basic.tsx';
import { Ago, Said } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOrder } from '../../state.ts';
import { DefinitionCard } from './definition-card.tsx';

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
    <section class="box tools bulk" aria-label="Selected definitions">
      <strong>{plural(chosen.length, 'definition')} selected</strong>
      <Button label="Accept selected" class="main" disabled={isRunning} onClick={act('approve')} />
      <Button label="Reject selected" class="danger" disabled={isRunning} onClick={act('reject')} />
      <Button label="Clear" onClick={onClear} />
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
  // The only one is open, but another wording of it is not: its buttons must not come under a cursor that was on these.
  const [first] = useState(changes.length === 1 ? changes.map(changeKey)[0] : undefined);
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
      {own.upgrade && <UpgradeReview key={own.upgrade.since} own={own} upgrade={own.upgrade} deciding={deciding} />}
      {changes.length > 3 && <ReasonLines groups={groups} changes={changes} onSelect={onSelect} />}
      <div class="box cards">
        {shown.map((change) => (
          <DefinitionCard
            key={changeKey(change)}
            change={change}
            isSelected={selected.has(changeKey(change))}
            isRunning={deciding.isRunning}
            isOpenAtFirst={changeKey(change) === first}
            onSelect={(isOn) => onSelect([changeKey(change)], isOn)}
            onDecide={(decision) => deciding.decide(decision, [change])}
          />
        ))}
      </div>
      {shown.length < changes.length && (
        <Button label={`Show all ${changes.length}`} onClick={() => setShowsAll(true)} />
      )}
    </Panel>
  );
}

interface UpgradeReviewProps {
  readonly own: ServerChanges;
  readonly upgrade: ServerUpgrade;
  readonly deciding: Deciding;
}

/** One decision for all that came with another version of the server. */
function UpgradeReview({ own, upgrade, deciding }: UpgradeReviewProps) {
  const lists = [
    ['New', upgrade.added],
    ['Changed', upgrade.changed],
    ['Removed', upgrade.removed],
  ] as const;
  return (
    <div class="box tools spread upgrade">
      <div>
        <p>
          <strong>
            Upgraded from <Said text={upgrade.from} /> to <Said text={upgrade.to} />
          </strong>
          , <Ago at={upgrade.at} />: {upgradeInWords(upgrade)}
        </p>
        {lists.map(([title, keys]) => keys.length > 0 && <UpgradePart key={title} title={title} keys={keys} />)}
      </div>
      <UpgradeDecision brought={changesInUpgrade(own)} deciding={deciding} />
    </div>
  );
}

interface UpgradeDecisionProps {
  readonly brought: readonly DefinitionChange[];
  readonly deciding: Deciding;
}

/** A server that changes again while somebody reads must not put other wordings under their cursor. */
function UpgradeDecision({ brought, deciding: { isRunning, decide } }: UpgradeDecisionProps) {
  const keys = new Set(brought.map(changeKey));
  const [read, setRead] = useState<ReadonlySet<string>>(keys);
  if (brought.length === 0) return null;
  if (!keys.isSubsetOf(read))
    return (
      <div class="notice warn" role="status">
        <p>The server has changed again since this upgrade was shown. Read what is below first.</p>
        <Button label="Decide about the upgrade as it is now" onClick={() => setRead(keys)} />
      </div>
    );
  return (
    <div class="tools">
      <Button
        label="Accept this upgrade"
        class="main"
        disabled={isRunning}
        onClick={() => decide('approve', brought)}
      />
      <Button
        label="Reject this upgrade"
        class="danger"
        disabled={isRunning}
        onClick={() => decide('reject', brought)}
      />
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
    <ul class="list reasons">
      {groups.map((group) => (
        <li key={`${group.isWaiting} ${group.code}`} class={group.isWaiting ? 'grave' : ''}>
          <span>
            <strong>{group.keys.length}</strong>: {group.words}
          </span>
          <Button
            label={`Select ${group.keys.length === 1 ? 'it' : 'these'}`}
            class="plain link"
            onClick={() => onSelect(meant(group), true)}
          />
        </li>
      ))}
    </ul>
  );
}
