/** Calls as they are made, the newest on top. What is being read stays where it is. */

import { useEffect, useState } from 'preact/hooks';
import type { AuditLine } from '../../../../admin/admin.ts';
import { Empty, Failed, Loading } from '../../parts/basic.tsx';
import { OutcomeBadge } from '../../parts/outcome.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { formatCount, formatMs, Said, Time } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { callDetailOf } from './call-detail.ts';
import type { CallFilter } from './call-filter.ts';
import { useTimeline } from './use-timeline.ts';

export const callColumns: readonly RowColumn<AuditLine>[] = [
  { title: 'Time', show: ({ time }) => <Time at={time} /> },
  { title: 'Outcome', show: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  { title: 'Tool', show: (call) => <Said text={calledName(call)} /> },
  { title: 'Took', show: ({ durationMs }) => formatMs(durationMs), isNumber: true, isExtra: true },
  { title: 'Token', show: ({ principal }) => <Said text={principal.name} />, isExtra: true },
  { title: 'Client', show: ({ client }) => client && <Said text={client} />, isExtra: true },
  { title: 'Trouble', show: (call) => <Said text={callDetailOf(call).error ?? ''} />, isExtra: true, isProse: true },
];

/** A program calls no tool of a server itself. */
export function calledName({ server, tool, action }: AuditLine): string {
  return server === null ? action : [server, tool].filter((part) => part !== null).join(':');
}

export const callLink = ({ id }: AuditLine) => pageLink(['calls', String(id)]);

/** Pixels from the end of the list at which older calls are fetched. */
const nearEnd = 400;

export function CallTimeline({ filter }: { readonly filter: CallFilter }) {
  const { calls, error, next, loadOlder, reload } = useTimeline(filter);
  const [isPaused, setPaused] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const newest = calls?.[0]?.id ?? 0;
  const isHeld = isPaused || isScrolled || isPointed;
  const [heldAt, setHeldAt] = useState(0);
  // Calls up to the one that was the newest when reading began.
  useEffect(() => setHeldAt(newest), [isHeld, JSON.stringify(filter)]);
  if (error && !calls) return <Failed message={error.message} hint={error.hint} onRetry={reload} />;
  if (!calls) return <Loading />;
  const shown = isHeld && heldAt > 0 ? calls.filter(({ id }) => id <= heldAt) : calls;
  const newCount = calls.length - shown.length;
  const place = (above: number, below: number) => {
    setScrolled(above > 0);
    if (below < nearEnd) loadOlder();
  };
  return (
    <>
      <div class="timeline-head">
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? '▶ Continue' : '❚❚ Pause'}
        </button>
        <span role="status">
          {newCount > 0 && (
            <button type="button" class="main" onClick={() => setHeldAt(newest)}>
              {formatCount(newCount)} new
            </button>
          )}
          {newCount === 0 && <small>{isPaused ? 'Paused' : 'New calls come by themselves.'}</small>}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only keeps rows in place while a pointer is on them */}
      <div onMouseEnter={() => setPointed(true)} onMouseLeave={() => setPointed(false)}>
        <Rows
          label="Calls"
          rows={shown}
          columns={callColumns}
          keyOf={({ id }) => String(id)}
          linkOf={callLink}
          empty={<NoCalls isFiltered={Object.keys(filter).length > 0} />}
          onPlace={place}
        />
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
  if (isFiltered) return <Empty title="No call fits this filter">Calls that do are shown as they come.</Empty>;
  return <Empty title="No calls yet">Connect an agent, or try a tool by hand with toolcrib call SERVER:TOOL.</Empty>;
}
