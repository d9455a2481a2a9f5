/** Overview: what waits for the owner, what runs and fails, and what agents do right now. */

import type { LiveServer } from '../../../admin/admin.ts';
import { Empty, Figure, Panel, WhenFetched } from '../parts/basic.tsx';
import { wholeHour } from '../parts/chart-data.ts';
import { OutcomeChart, OutcomeFigures } from '../parts/outcome.tsx';
import { Rows } from '../parts/rows.tsx';
import { Ago, formatCompact, formatCount, formatShare } from '../parts/texts.tsx';
import { TokenBar } from '../parts/token-bar.tsx';
import { pageLink } from '../router.ts';
import { useLive, useNow, useOperation } from '../state.ts';
import { callColumns, callLink } from './calls/timeline.tsx';
import { GatewayHealth } from './overview/gateway-health.tsx';
import { WaitingPanel } from './overview/waiting.tsx';
import { ServerLastError, ServerStateBadge } from './servers/server-state.tsx';

export function OverviewPage() {
  return (
    <>
      <WaitingPanel />
      <LastHourPanel />
      <div class="grid">
        <ServerStates />
        <TokensSaved />
      </div>
      <NewestCalls />
      <GatewayHealth />
    </>
  );
}

/** The hour is redrawn even without calls. */
const tickMs = 10_000;

function LastHourPanel() {
  const minutes = useLive((view) => view.minutes);
  const hour = wholeHour(minutes, useNow(tickMs));
  const steps = hour.map(({ minute }) => minute?.outcomes ?? {});
  return (
    <Panel title="Last hour" tools={<a href={pageLink(['calls'], { tab: 'charts', span: 'hour' })}>More charts</a>}>
      <div class="figures">
        <OutcomeFigures steps={steps} link={pageLink(['calls'], { outcome: 'not-ok', since: '1h' })} />
      </div>
      <OutcomeChart label="Calls by minute" times={hour.map(({ at }) => at)} stepMs={60_000} steps={steps} />
    </Panel>
  );
}

/** Failing servers that are named. */
const mostFailing = 6;

function ServerStates() {
  const servers = [...useLive((view) => view.servers).values()];
  const states = [...Map.groupBy(servers, ({ state }) => state as string)].sort(([, a], [, b]) => b.length - a.length);
  // One that is being tried again has not recovered.
  const failing = servers.filter(
    ({ state, lastError }) => lastError !== null && (state === 'failed' || state === 'connecting'),
  );
  const tools = servers.reduce((sum, { toolCount }) => sum + toolCount, 0);
  return (
    <Panel title="Servers" tools={<a href={pageLink(['servers'])}>All servers</a>}>
      {servers.length === 0 && <Empty title="No servers yet">Add one on the Servers page, or with toolcrib add.</Empty>}
      {servers.length > 0 && (
        <div class="figures">
          <Figure label={servers.length === 1 ? 'server' : 'servers'} value={formatCount(servers.length)} />
          <Figure label={tools === 1 ? 'tool' : 'tools'} value={formatCount(tools)} />
          {failing.length > 0 && <Figure label="failing" value={formatCount(failing.length)} tone="bad" />}
        </div>
      )}
      <p class="tools">
        {states.map(([state, { length }]) => (
          <ServerStateBadge key={state} state={state} count={length} />
        ))}
      </p>
      <ul class="list lined">
        {failing.slice(0, mostFailing).map((server) => (
          <FailingServer key={server.name} server={server} />
        ))}
        {failing.length > mostFailing && (
          <li>
            <a href={pageLink(['servers'])}>and {formatCount(failing.length - mostFailing)} more</a>
          </li>
        )}
      </ul>
    </Panel>
  );
}

function FailingServer({ server }: { readonly server: LiveServer }) {
  const { name, nextRetryAt } = server;
  useNow(tickMs);
  return (
    <li>
      <p class="clamped">
        <a href={pageLink(['servers', name])}>{name}</a> <ServerLastError server={server} />
      </p>
      {nextRetryAt !== null && (
        <small>
          Next try <Ago at={nextRetryAt} />.
        </small>
      )}
    </li>
  );
}

function TokensSaved() {
  const surfaces = useOperation('gateway.surfaces', {}, ['tools', 'projects']);
  return (
    <Panel title="Tokens" tools={<a href={pageLink(['usage'])}>Usage</a>}>
      <WhenFetched answer={surfaces}>
        {({ days, doors }) => {
          const traffic = doors.flatMap((door) => door.traffic ?? []);
          const used = traffic.reduce((all, { usedTokens }) => all + usedTokens, 0);
          const listed = traffic.reduce((all, { directTokens }) => all + directTokens, 0);
          if (listed === 0) return <Empty title="No traffic yet">Shown once agents have used tools.</Empty>;
          return <SavedTokens {...{ days, used, listed }} />;
        }}
      </WhenFetched>
    </Panel>
  );
}

interface SavedTokensProps {
  readonly days: number;
  readonly used: number;
  readonly listed: number;
}

function SavedTokens({ days, used, listed }: SavedTokensProps) {
  const saved = listed - used;
  const most = Math.max(listed, used);
  return (
    <>
      <div class="figures">
        <Figure
          label={saved >= 0 ? 'tokens saved (estimate)' : 'more tokens than listing everything'}
          value={formatCompact(Math.abs(saved))}
        />
        {saved >= 0 && <Figure label="less than listing everything" value={formatShare(saved / listed)} />}
      </div>
      <dl class="bars">
        <TokenBar name="Agents read" tokens={used} most={most} colour="--data-1" />
        <TokenBar name="Listing everything" tokens={listed} most={most} colour="--data-7" />
      </dl>
      <small>Traffic of the last {formatCount(days)} days.</small>
    </>
  );
}

const newestCount = 5;

function NewestCalls() {
  const calls = useLive(({ records }) => records).filter(({ kind }) => kind === 'execution');
  return (
    <Panel title="Newest calls" tools={<a href={pageLink(['calls'])}>All calls</a>}>
      <Rows
        label="Newest calls"
        rows={calls.slice(0, newestCount)}
        columns={callColumns}
        keyOf={({ id }) => String(id)}
        linkOf={callLink}
        empty={<Empty title="No calls yet">They are shown as agents make them.</Empty>}
      />
    </Panel>
  );
}
