/** One server: its state and why, its tools and settings, its output, and the history of its definitions. */

import { useState } from 'preact/hooks';
import type { LiveServer, ServerDetails } from '../../../../admin/admin.ts';
import { connectionInWords, refreshInWords, waitingIn, whyFixed } from '../../../wording/wording.ts';
import { Button, Empty, Facts, Failed, Panel, WhenFetched } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Ago, Said, SaidLines, Time, visibleText } from '../../parts/texts.tsx';
import { goTo, pageLink } from '../../router.ts';
import { useLive, useOperation, useOrder, usePageState } from '../../state.ts';
import { HistoryRows } from '../review/history.tsx';
import { ServerSettings } from './server-settings-form.tsx';
import { ServerSignIn } from './server-sign-in.tsx';
import { ServerStateBadge } from './server-state.tsx';
import { ServerTools } from './server-tools.tsx';

export function ServerDetail({ name }: { readonly name: string }) {
  const live = useLive(({ servers }) => servers.get(name));
  const [isGoing, setGoing] = useState(false);
  // A server that is being removed is not asked about any more.
  const details = useOperation('servers.show', isGoing ? null : { name }, ['servers', 'tools', 'config']);
  return (
    <>
      <p>
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

interface ServerHeadProps {
  readonly server: ServerDetails;
  readonly live: LiveServer | undefined;
  readonly fixed: string | null;
  /** Told that it is being removed, or that this failed. */
  readonly onGoing: (isGoing: boolean) => void;
}

function ServerHead({ server, live, fixed, onGoing }: ServerHeadProps) {
  const { name, title } = server;
  const { state, lastError, hint, nextRetryAt } = live ?? server;
  const waiting = waitingIn(live ?? server);
  return (
    <section class="panel" aria-label={`Server ${name}`}>
      <header class="tools spread panel-head">
        <h1 class="tools">
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
  const { name, state, origin, written } = server;
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
      <Button label="Refresh" disabled={isRunning || isOff} onClick={() => void refresh(false)} />
      <Button
        label="Force refresh"
        disabled={isRunning || isOff}
        title="Reconnects, and indexes every tool again"
        onClick={() => void refresh(true)}
      />
      {written !== null && <Button label="Edit connection" onClick={() => goTo(['servers', name], { edit: '1' })} />}
      <Button
        label={isOff ? 'Enable' : 'Disable'}
        disabled={isRunning}
        onClick={() =>
          void give(isOff ? 'servers.enable' : 'servers.disable', { name }, isOff ? 'Enabled.' : 'Disabled.')
        }
      />
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

function ServerFacts({ server }: { readonly server: ServerDetails }) {
  const { connection, origin, connectedAt, listedAt, staleSince, lastChange } = server;
  const isUrl = 'url' in connection;
  const names = isUrl ? connection.headers : connection.env;
  return (
    <Facts
      rows={[
        ['Connection', connectionInWords(server)],
        [
          isUrl ? 'URL' : 'Command',
          <code key="how">
            <Said text={isUrl ? connection.url : [connection.command, ...connection.args].join(' ')} />
          </code>,
        ],
        ['Folder', isUrl || connection.cwd === null ? null : <code key="cwd">{visibleText(connection.cwd)}</code>],
        [isUrl ? 'Headers' : 'Environment', names.length === 0 ? null : names.join(', ')],
        ['Kept in', origin === 'store' ? 'the data folder' : null],
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

const unstarted: Readonly<Record<string, string>> = {
  configured: 'The server has not been started yet.',
  connecting: 'The server is being started.',
};

/** Fetched again when the state changes: the last lines often say why. */
function ServerOutput({ name, state }: { readonly name: string; readonly state: string }) {
  const answer = useOperation('servers.output', { name }, ['servers']);
  const again = <Button label="Refresh output" onClick={answer.reload} />;
  return (
    <Panel title="Output" tools={again}>
      <WhenFetched answer={answer}>
        {({ stderr, pids, junkLines, junkSample, warnings }) => (
          <>
            {pids.length > 0 && <p class="soft">Process {pids.join(', ')}, on standard error:</p>}
            {stderr === '' ? (
              <Empty title="Nothing was written to standard error">{unstarted[state]}</Empty>
            ) : (
              <SaidLines text={stderr} label={`Output of ${name}`} />
            )}
            {junkLines > 0 && (
              <p class="notice warn">
                {junkLines} lines on standard output are not messages, such as: <Said text={junkSample} />
              </p>
            )}
            {warnings.map((warning) => (
              <Said as="p" key={warning} class="notice warn" text={warning} />
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
      <WhenFetched answer={answer}>{({ history }) => <HistoryRows history={history} />}</WhenFetched>
    </Panel>
  );
}
