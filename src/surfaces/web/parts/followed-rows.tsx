/**
 * A table of records that grows at its top. It follows new ones only while nobody reads: the list is at its newest end, with
 * neither the pointer nor the focus on a row. Otherwise a button shows how many are new.
 */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AuditLine } from '../../../admin/admin.ts';
import { Button } from './basic.tsx';
import { type RowColumn, Rows } from './rows.tsx';
import { formatCount } from './texts.tsx';

interface FollowedRowsProps {
  /** Several of them: “Calls”. */
  readonly label: string;
  /** The newest first. */
  readonly rows: readonly AuditLine[];
  readonly columns: readonly RowColumn<AuditLine>[];
  readonly linkOf: (row: AuditLine) => string;
  readonly empty: ComponentChildren;
  /** Told when the reader comes near to the oldest one. */
  readonly onNearEnd?: () => void;
}

/** Pixels from the end of the list. */
const nearEnd = 400;

export function FollowedRows({ label, rows, onNearEnd, ...table }: FollowedRowsProps) {
  const [isPaused, setPaused] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isPaused || isScrolled || isPointed || isFocused;
  /** The rows as they were when reading began. */
  const [held, setHeld] = useState<FollowedRowsProps['rows'] | undefined>();
  useLayoutEffect(() => setHeld(isHeld ? rows : undefined), [isHeld]);
  const shown = isHeld && held ? [...held, ...olderThan(held, rows)] : rows;
  const newest = shown[0]?.id ?? 0;
  const newCount = rows.filter(({ id }) => id > newest).length;
  // Between rows that are all new and those that are held there may be others.
  const isPerhapsMore = newCount === rows.length && newest > 0;
  const frame = useRef<HTMLDivElement>(null);
  const showNew = () => {
    setHeld(rows);
    frame.current?.querySelector('.rows')?.scrollTo(0, 0);
  };
  return (
    <>
      <div class="tools timeline-head">
        <Button label={isPaused ? '▶ Resume' : '❚❚ Pause'} onClick={() => setPaused(!isPaused)} />
        {newCount > 0 ? (
          <Button label={`${formatCount(newCount)}${isPerhapsMore ? '+' : ''} new`} class="main" onClick={showNew} />
        ) : (
          <small>{isPaused ? 'Paused' : `New ${label.toLowerCase()} appear by themselves.`}</small>
        )}
      </div>
      <div
        ref={frame}
        onPointerEnter={() => setPointed(true)}
        onPointerLeave={() => setPointed(false)}
        onFocusIn={({ target }) => setFocused((target as Element).closest('tbody') !== null)}
        onFocusOut={() => setFocused(false)}
      >
        <Rows
          label={label}
          rows={shown}
          keyOf={({ id }) => String(id)}
          onPlace={(above, below) => {
            setScrolled(above > 0);
            if (below < nearEnd) onNearEnd?.();
          }}
          {...table}
        />
      </div>
    </>
  );
}

/** Rows that were fetched behind those that are held. */
function olderThan(held: readonly AuditLine[], rows: readonly AuditLine[]): readonly AuditLine[] {
  const oldest = held.at(-1)?.id ?? 0;
  return rows.filter(({ id }) => id < oldest);
}
