/** The surfaces of agents with their tokens: what a start costs on each, and what the traffic cost. */

import type { SurfaceReport } from '../../../../admin/admin.ts';
import { Badge, Empty, Facts, Panel, WhenFetched } from '../../parts/basic.tsx';
import { formatCompact, formatCount, Said } from '../../parts/texts.tsx';
import { TokenBar } from '../../parts/token-bar.tsx';
import { useOperation } from '../../state.ts';

export function SurfaceTokens() {
  const surfaces = useOperation('gateway.surfaces', {}, ['tools', 'projects']);
  return (
    <Panel title="Agents and surfaces">
      <WhenFetched answer={surfaces}>
        {({ days, doors, counting }) => (
          <>
            <div class="grid wide doors">
              {doors.map((door) => (
                <DoorTokens key={door.project ?? ''} door={door} days={days} />
              ))}
            </div>
            <details>
              <summary>How tokens are counted</summary>
              <ul>
                {counting.map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            </details>
          </>
        )}
      </WhenFetched>
    </Panel>
  );
}

function DoorTokens({ door, days }: { readonly door: SurfaceReport; readonly days: number }) {
  const { project, surface, reason, startTokens, traffic } = door;
  const most = Math.max(1, ...Object.values(startTokens));
  return (
    <section>
      <h3>
        {project === null ? 'Without a project' : <>Project {<Said text={project} />}</>} <Badge>{surface}</Badge>
      </h3>
      <Said as="small" text={reason} />
      <dl class="bars" aria-label="Tokens at the start of an agent, by surface">
        {Object.entries(startTokens).map(([name, tokens]) => (
          <TokenBar
            key={name}
            name={`Start on ${name}`}
            tokens={tokens}
            most={most}
            colour={name === surface ? '--data-1' : '--data-7'}
          />
        ))}
      </dl>
      {traffic === null ? (
        <Empty title={`No traffic in ${formatCount(days)} days`} />
      ) : (
        <Facts
          rows={[
            ['Lists served', formatCount(traffic.lists)],
            ['Searches', formatCount(traffic.finds)],
            ['Calls', formatCount(traffic.calls)],
            ['Programs', formatCount(traffic.chains)],
            ['Calls of programs', formatCount(traffic.chainCalls)],
            [`Tokens read in ${days} days`, formatCompact(traffic.usedTokens)],
            ['The same traffic on direct', formatCompact(traffic.directTokens)],
            ['The same traffic on search', formatCompact(traffic.searchTokens)],
          ]}
        />
      )}
    </section>
  );
}
