/** One definition that waits: how grave that is, why, what differs, and the decision about it. */

import { useState } from 'preact/hooks';
import type { DefinitionChange } from '../../../../admin/admin.ts';
import {
  isWaiting,
  placeInWords,
  remarksAbout,
  sayReason,
  stateInShort,
  stateInWords,
} from '../../../wording/wording.ts';
import { Badge, Button, type Tone } from '../../parts/basic.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { Ago, Said } from '../../parts/texts.tsx';
import { run } from '../../session.ts';

interface DefinitionCardProps {
  readonly change: DefinitionChange;
  readonly isSelected: boolean;
  readonly isRunning: boolean;
  readonly isOpenAtFirst: boolean;
  readonly onSelect: (isOn: boolean) => void;
  readonly onDecide: (decision: 'approve' | 'reject') => void;
}

const tones: Readonly<Record<DefinitionChange['state'], Tone>> = {
  ...{ changed: 'bad', held: 'bad', approved: 'warn', rejected: 'quiet' },
};

export function DefinitionCard(props: DefinitionCardProps) {
  const { change, isSelected, isOpenAtFirst, onSelect } = props;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const name = change.kind === 'server' ? 'Server description' : change.name;
  const onToggle = (isNow: boolean) => {
    setOpen(isNow);
    if (isNow) noteShown(change);
  };
  return (
    <div class="card">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isSelected}
        onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
      />
      <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
        <summary class="card-head">
          <Said as="strong" text={name} />
          {change.kind !== 'tool' && change.kind !== 'server' && <small>{change.kind}</small>}
          <Badge tone={tones[change.state]}>{stateInShort(change)}</Badge>
          <Said as="small" class="why" text={change.reasons[0]?.sentence ?? ''} />
        </summary>
        {isOpen && <CardDetail {...props} />}
      </details>
    </div>
  );
}

/** The command line accepts without a question only what a person was shown. */
function noteShown({ server, kind, name, fingerprint, wasShown }: DefinitionChange): void {
  // If the mark is lost, somebody only has to look once more.
  if (!wasShown) run('changes.shown', { items: [{ server, kind, name, fingerprint }] }).catch(() => {});
}

function CardDetail({ change, isRunning, onDecide }: DefinitionCardProps) {
  const { reasons, differences, grade, since } = change;
  return (
    <div class="card-detail">
      <p>
        {capitalised(stateInWords(change))}.{' '}
        <small>
          <Ago at={since} />
          {grade !== null && `; the change is ${grade}`}
        </small>
      </p>
      {reasons.length > 0 && (
        <ul class="list reasons">
          {reasons.map((reason) => (
            <Said
              as="li"
              key={`${reason.code} ${reason.where}`}
              class={isWaiting(change) ? 'grave' : ''}
              text={sayReason(reason)}
            />
          ))}
        </ul>
      )}
      {remarksAbout(change).map((remark) => (
        <p key={remark}>{remark}</p>
      ))}
      {differences.map(({ where, change: verb, before, after }) => (
        <section key={where}>
          <h3>
            <Said text={placeInWords(where)} /> {verb !== 'changed' && <small>{verb}</small>}
          </h3>
          <TextDiff label={placeInWords(where)} before={before} after={after} />
        </section>
      ))}
      <div class="tools">
        <Button label="Accept" class="main" disabled={isRunning} onClick={() => onDecide('approve')} />
        {change.state !== 'rejected' && (
          <Button label="Reject" class="danger" disabled={isRunning} onClick={() => onDecide('reject')} />
        )}
      </div>
    </div>
  );
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
