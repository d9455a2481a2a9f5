/** One server: its state and why, its tools and settings, its output, and the history of its definitions. */

import { useState } from 'preact/hooks';
import type { LiveServer, ServerDetails } from '../../../../admin/admin.ts';
import { actInWords, changeInWords } from '../../../wording/wording.ts';
import { Badge, Empty, Facts, Failed, Panel, WhenFetched } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Ago, Said, SaidLines, Time, visibleText } from '../../parts/texts.tsx';
import { goTo, pageLink } from '../../router.ts';
import { useOperation, useOrder, usePageState, useView } from '../../state.ts';
import { ServerSettings } from './server-settings-form.tsx';
import { ServerSignIn } from './server-sign-in.tsx';
import { ServerStateBadge } from './server-state.tsx';
import { ServerTools } from './server-tools.tsx';

export function ServerDetail({ name }: { readonly name: string }) {
  const live = useView().servers.get(name);
  const [isGoing, setGoing] = useState(false);
  // A server that is being removed is not asked about any more.
  const details = useOperation('servers.show', isGoing ? null : { name }, ['servers', 'tools', 'config']);
  return (
    <>
      <p class="crumbs">
        <a href={pageLink(['servers'])}>Servers</a>
      </p>
      <WhenFetched answer={details}>
        {(server) => (
          <>
            <ServerHead server={server} live={live} fixed={whyFixed(server)} onGoing={setGoing} />
            {!isGoing && (
              <>
                <ServerTools details={server} isFixed={whyFixed(server) !== null} />
                <ServerSettings details={server} isFixed={whyFixed(server) !== null} />
                <ServerOutput name={name} state={live?.state ?? server.state} />
                <ListingHistory name={name} />
              </>
            )}
          </>
        )}
      </WhenFetched>
    </>
  );
}

/** The page never edits the config file; it says where to edit. */
function whyFixed({ origin, place }: ServerDetails): string | null {
  if (origin === 'store') return null;
  return place === null
    ? 'This server exists for this run only. Its settings cannot be changed.'
    : `This server is in the config file. Change its settings there: ${place}`;
}

interface ServerHeadProps {
  readonly server: ServerDetails;
  readonly live: LiveServer | undefined;
  readonly fixed: string | null;
  /** Told that it is being removed, or that this failed. */
  readonly onGoing: (isGoing: boolean) => void;
}

function ServerHead({ server, live, fixed, onGoing }: ServerHeadProps) {
  const { name, title } = server;
  const { state, lastError, hint, nextRetryAt, heldCount, changedCount } = live ?? server;
  const waiting = heldCount + changedCount;
  return (
    <section class="panel" aria-label={`Server ${name}`}>
      <header class="panel-head">
        <h1 class="with-badge">
          {name} <ServerStateBadge state={state} />
          {title !== name && <small>{visibleText(title)}</small>}
        </h1>
        <ServerOrders server={server} onGoing={onGoing} />
      </header>
      {lastError !== null && state !== 'connected' && <Failed message={lastError} hint={hint ?? undefined} />}
      {nextRetryAt !== null && (
        <p>
          Toolcrib tries again <Ago at={nextRetryAt} />, and with the next call.
        </p>
      )}
      {waiting > 0 && (
        <p class="notice warn">
          {waiting === 1 ? 'One definition waits' : `${waiting} definitions wait`} for your decision.{' '}
          <a href={pageLink(['review'], { server: name })}>Review</a>
        </p>
      )}
      {server.notes.map((note) => (
        <p key={note} class="notice warn">
          {visibleText(note)}
        </p>
      ))}
      <ServerSignIn name={name} />
      {fixed !== null && <p class="soft">{fixed}</p>}
      <ServerFacts server={server} />
    </section>
  );
}

function ServerOrders({ server, onGoing }: Pick<ServerHeadProps, 'server' | 'onGoing'>) {
  const { name, state, origin } = server;
  const { isRunning, give } = useOrder();
  const { tell } = usePageState();
  const isOff = state === 'disabled';
  const refresh = async (force: boolean) => {
    const [outcome] = (await give('servers.refresh', { name, force, once: true })) ?? [];
    if (outcome) tell(outcome.error ?? refreshInWords(outcome), outcome.error === null ? 'done' : 'failed');
  };
  const remove = async () => {
    onGoing(true);
    if (await give('servers.remove', { name }, `Server “${name}” is removed.`)) goTo(['servers']);
    else onGoing(false);
  };
  return (
    <div class="tools">
      <button type="button" disabled={isRunning || isOff} onClick={() => void refresh(false)}>
        Refresh
      </button>
      <button
        type="button"
        disabled={isRunning || isOff}
        title="Reconnects, and indexes every tool again"
        onClick={() => void refresh(true)}
      >
        Force refresh
      </button>
      <button
        type="button"
        disabled={isRunning}
        onClick={() =>
          void give(isOff ? 'servers.enable' : 'servers.disable', { name }, isOff ? 'Enabled.' : 'Disabled.')
        }
      >
        {isOff ? 'Enable' : 'Disable'}
      </button>
      <span title={origin === 'file' ? 'It is in the config file: remove it there.' : undefined}>
        <ConfirmButton
          label="Remove"
          question={`Remove server “${name}” with its settings, sign-in and approvals?`}
          isDisabled={isRunning || origin === 'file'}
          onConfirm={() => void remove()}
        />
      </span>
    </div>
  );
}

interface Counted {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

function refreshInWords({ added, updated, removed, unchanged }: Counted): string {
  return `${added.length} added, ${updated.length} changed, ${removed.length} removed, ${unchanged} unchanged.`;
}

function ServerFacts({ server }: { readonly server: ServerDetails }) {
  const { connection, place, origin, transport, era, connectedAt, listedAt, staleSince, lastChange } = server;
  const isUrl = 'url' in connection;
  const names = isUrl ? connection.headers : connection.env;
  return (
    <Facts
      rows={[
        ['Connection', era === null ? transport : `${transport}, ${era}`],
        [
          isUrl ? 'URL' : 'Command',
          <code key="how">
            <Said text={isUrl ? connection.url : [connection.command, ...connection.args].join(' ')} />
          </code>,
        ],
        ['Folder', isUrl || connection.cwd === null ? null : <code key="cwd">{visibleText(connection.cwd)}</code>],
        [isUrl ? 'Headers' : 'Environment', names.length === 0 ? null : names.join(', ')],
        ['Kept in', place === null ? origin === 'store' ? 'the data folder' : null : <code key="place">{place}</code>],
        ['Connected', connectedAt && <Ago at={connectedAt} />],
        ['Listed', listedAt === null ? 'never' : <Ago at={listedAt} />],
        ['Out of date since', staleSince && <Time at={staleSince} />],
        ['Last change', lastChange && <LastChange at={lastChange} summary={server.lastChangeSummary} />],
      ]}
    />
  );
}

function LastChange({ at, summary }: { readonly at: string; readonly summary: string | null }) {
  return (
    <>
      {summary}, <Ago at={at} />
    </>
  );
}

/** Fetched again when the state changes: the last lines often say why. */
function ServerOutput({ name, state }: { readonly name: string; readonly state: string }) {
  const answer = useOperation('servers.output', { name }, ['servers']);
  const again = (
    <button type="button" onClick={answer.reload}>
      Refresh output
    </button>
  );
  return (
    <Panel title="Output" tools={again}>
      <WhenFetched answer={answer}>
        {({ stderr, pids, junkLines, junkSample, warnings }) => (
          <>
            {pids.length > 0 && <p class="soft">Process {pids.join(', ')}, on standard error:</p>}
            {stderr === '' ? (
              <Empty title="Nothing was written to standard error">
                {state === 'configured' ? 'The server has not been started yet.' : ''}
              </Empty>
            ) : (
              <SaidLines text={stderr} label={`Output of ${name}`} />
            )}
            {junkLines > 0 && (
              <p class="notice warn">
                {junkLines} lines on standard output are not messages, such as: <Said text={junkSample} />
              </p>
            )}
            {warnings.map((warning) => (
              <p key={warning} class="notice warn">
                <Said text={warning} />
              </p>
            ))}
          </>
        )}
      </WhenFetched>
    </Panel>
  );
}

function ListingHistory({ name }: { readonly name: string }) {
  const answer = useOperation('changes.list', { server: name, all: true }, ['definitions', 'tools']);
  return (
    <Panel title="History">
      <WhenFetched answer={answer}>
        {({ history }) => (
          <Rows
            label={`History of ${name}`}
            rows={history.map((entry, at) => ({ ...entry, id: `${at}` }))}
            columns={[
              { title: 'Definition', show: ({ key }) => visibleText(key), order: ({ key }) => key },
              { title: 'Time', show: ({ at }) => <Time at={at} />, order: ({ at }) => at },
              {
                title: 'The server',
                show: ({ change, kind }) => change && `${changeInWords(change)}${kind === 'tool' ? '' : ` (${kind})`}`,
                isExtra: true,
              },
              {
                title: 'Outcome',
                show: ({ act, grade }) => act && <Badge>{actInWords({ act, grade })}</Badge>,
                isExtra: true,
              },
              { title: 'By', show: ({ by }) => by, isExtra: true },
            ]}
            keyOf={({ id }) => id}
            linkOf={({ kind, key }) => pageLink(kind === 'tool' ? ['tools', key] : ['servers', name])}
            empty={<Empty title="Nothing has changed yet" />}
          />
        )}
      </WhenFetched>
    </Panel>
  );
}
