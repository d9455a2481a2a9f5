/** Calls as they are made, the newest on top. Rows stay in place while somebody reads them. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AuditLine } from '../../../../admin/admin.ts';
import { Empty, Failed, Loading } from '../../parts/basic.tsx';
import { OutcomeBadge } from '../../parts/outcome.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { formatCount, formatMs, Said, Time } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { callDetailOf, calledName } from './call-detail.ts';
import type { CallFilter } from './call-filter.ts';
import { useTimeline } from './use-timeline.ts';

export const callColumns: readonly RowColumn<AuditLine>[] = [
  {
    title: 'Time',
    show: ({ time }) => <Time at={time} />,
    below: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  { title: 'Outcome', show: ({ outcome }) => <OutcomeBadge outcome={outcome} />, isExtra: true },
  {
    title: 'Tool',
    show: (call) => (
      <span class="wraps">
        <Said text={calledName(call)} />
      </span>
    ),
  },
  { title: 'Took', show: ({ durationMs }) => formatMs(durationMs), isNumber: true, isExtra: true },
  { title: 'Token', show: ({ principal }) => <Said text={principal.name} />, isExtra: true },
  { title: 'Client', show: ({ client }) => client && <Said text={client} />, isExtra: true },
  { title: 'Error', show: (call) => <Said text={callDetailOf(call).error ?? ''} />, isExtra: true, isProse: true },
];

/** A record of anything else is shown in the audit. */
export const callLink = ({ id, kind }: AuditLine) => pageLink([kind === 'execution' ? 'calls' : 'audit', String(id)]);

/** Pixels from the end of the list at which older calls are fetched. */
const nearEnd = 400;

export function CallTimeline({ filter }: { readonly filter: CallFilter }) {
  const { calls, error, next, loadOlder, reload } = useTimeline(filter);
  const [isPaused, setPaused] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const newest = calls?.[0]?.id ?? 0;
  const isHeld = isPaused || isScrolled || isPointed;
  const [heldAt, setHeldAt] = useState<number | undefined>();
  useEffect(() => setHeldAt(isHeld ? newest : undefined), [isHeld]);
  // Up to the one that was the newest when reading began.
  const last = isHeld ? (heldAt ?? newest) : Number.POSITIVE_INFINITY;
  const shown = useMemo(() => calls?.filter(({ id }) => id <= last) ?? [], [calls, last]);
  const frame = useRef<HTMLDivElement>(null);
  const showNew = () => {
    setHeldAt(newest);
    frame.current?.querySelector('.rows')?.scrollTo(0, 0);
  };
  const isFiltered = Object.keys(filter).length > 0;
  // Drawn again only with other calls: the page itself is drawn with every event.
  const table = useMemo(() => {
    const place = (above: number, below: number) => {
      setScrolled(above > 0);
      if (below < nearEnd) loadOlder();
    };
    return (
      <Rows
        label="Calls"
        rows={shown}
        columns={callColumns}
        keyOf={({ id }) => String(id)}
        linkOf={callLink}
        empty={<NoCalls isFiltered={isFiltered} />}
        onPlace={place}
      />
    );
  }, [shown, next, isFiltered]);
  if (error && !calls) return <Failed message={error.message} hint={error.hint} onRetry={reload} />;
  if (!calls) return <Loading />;
  const newCount = calls.length - shown.length;
  return (
    <>
      <div class="timeline-head">
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? '▶ Resume' : '❚❚ Pause'}
        </button>
        <span role="status">
          {newCount > 0 && (
            <button type="button" class="main" onClick={showNew}>
              {formatCount(newCount)} new
            </button>
          )}
          {newCount === 0 && <small>{isPaused ? 'Paused' : 'New calls appear by themselves.'}</small>}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only keeps rows in place while a pointer is on them */}
      <div ref={frame} onMouseEnter={() => setPointed(true)} onMouseLeave={() => setPointed(false)}>
        {table}
      </div>
      {error && <Failed message={error.message} hint={error.hint} onRetry={reload} />}
      {next !== null && (
        <p class="more">
          <button type="button" onClick={loadOlder}>
            Show older calls
          </button>
        </p>
      )}
    </>
  );
}

function NoCalls({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No call matches this filter">Matching calls appear as they come.</Empty>;
  return <Empty title="No calls yet">Connect an agent, or try a tool by hand with toolcrib call SERVER:TOOL.</Empty>;
}
