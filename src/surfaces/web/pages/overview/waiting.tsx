/** Everything that waits for the owner: definitions, calls, sign-ins and closed projects. */

import type { ComponentChildren } from 'preact';
import type { LiveServer, WaitingCall } from '../../../../admin/admin.ts';
import { waitingIn } from '../../../wording/wording.ts';
import { Button, Failed, Panel } from '../../parts/basic.tsx';
import { Ago, formatCount, Said, visibleText } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useLive, useOperation, useOrder } from '../../state.ts';

export function WaitingPanel() {
  const all = useLive((view) => view.servers);
  const calls = useOperation('approvals.list', {}, ['approvals']);
  const approvals = calls.data ?? [];
  const projects = useOperation('projects.list', {}, ['projects']);
  const servers = [...all.values()];
  const waiting = servers.filter((server) => waitingIn(server) > 0);
  const marked = servers.filter(({ markedCount }) => markedCount > 0);
  const signIns = servers.filter(({ reason }) => reason === 'sign-in');
  const closed = (projects.data ?? []).filter(({ origin }) => origin === 'gone');
  const sum = (rows: readonly LiveServer[], count: (server: LiveServer) => number) =>
    rows.reduce((all, server) => all + count(server), 0);
  const count = waiting.length + marked.length + approvals.length + signIns.length + closed.length;
  return (
    <Panel title="Waiting for you">
      {calls.error && <Failed message={calls.error.message} hint={calls.error.hint} onRetry={calls.reload} />}
      {/* Nobody knows it before both were answered. */}
      {count === 0 && calls.data && projects.data && (
        <p class="good">
          <span aria-hidden="true">✓</span> Nothing is waiting for you.
        </p>
      )}
      <ul class="list lined">
        {approvals.map((call) => (
          <WaitingCallItem key={call.id} call={call} />
        ))}
        <NamedItem
          text={phrase(sum(waiting, waitingIn), 'definition to review', 'definitions to review')}
          names={waiting.map((server) => ({ name: server.name, count: waitingIn(server) }))}
          linkOf={(server) => pageLink(['review'], { server })}
        />
        <NamedItem
          text={phrase(
            sum(marked, ({ markedCount }) => markedCount),
            'definition worth a look',
            'definitions worth a look',
          )}
          names={marked.map(({ name, markedCount }) => ({ name, count: markedCount }))}
          linkOf={(server) => pageLink(['review'], { server })}
        />
        <NamedItem
          text={phrase(signIns.length, 'server needs a sign-in', 'servers need a sign-in')}
          names={signIns.map(({ name }) => ({ name }))}
          linkOf={(server) => pageLink(server === undefined ? ['servers'] : ['servers', server])}
        />
        <NamedItem
          text={phrase(
            closed.length,
            'project is closed: the config file no longer has it',
            'projects are closed: the config file no longer has them',
          )}
          names={closed.map(({ name }) => ({ name }))}
          linkOf={(project) => pageLink(['access'], { project })}
        />
      </ul>
    </Panel>
  );
}

function phrase(count: number, one: string, several: string): ComponentChildren {
  return (
    <>
      <strong>{formatCount(count)}</strong> {count === 1 ? one : several}
    </>
  );
}

interface NamedItemProps {
  readonly text: ComponentChildren;
  readonly names: readonly { readonly name: string; readonly count?: number }[];
  /** Without a name: to all of them. */
  readonly linkOf: (name?: string) => string;
}

/** The others are behind one link. */
const mostNames = 12;

function NamedItem({ text, names, linkOf }: NamedItemProps) {
  if (names.length === 0) return null;
  return (
    <li class="tools spread">
      <span>{text}</span>
      <span class="tools">
        {names.slice(0, mostNames).map(({ name, count }) => (
          <a key={name} class="badge" href={linkOf(name)}>
            <Said text={name} /> {count !== undefined && <b>{formatCount(count)}</b>}
          </a>
        ))}
        {names.length > mostNames && <a href={linkOf()}>and {formatCount(names.length - mostNames)} more</a>}
      </span>
    </li>
  );
}

const mostCharacters = 160;

function WaitingCallItem({ call }: { readonly call: WaitingCall }) {
  const order = useOrder();
  const answer = (word: 'once' | 'refuse', done: string) => () =>
    void order.give('approvals.answer', { id: call.id, answer: word }, done);
  const given = visibleText(call.arguments);
  const isShort = given.length <= mostCharacters && !call.isCut;
  const review = pageLink(['review'], { call: call.id });
  return (
    <li class="tools spread">
      <span>
        <Said as="strong" text={call.principal} /> wants to call{' '}
        <a href={review}>
          <Said text={call.toolKey} />
        </a>
        <small>
          {call.client && (
            <>
              {' · '}
              <Said text={call.client} />
            </>
          )}
          {' · expires '}
          <Ago at={call.expiresAt} />
        </small>
        <code class="given soft said">{isShort ? given : `${given.slice(0, mostCharacters)} …`}</code>
      </span>
      <span class="tools">
        {/* Approved is only what was shown as a whole. */}
        {isShort && !call.beside ? (
          <Button
            label="Approve once"
            class="main"
            disabled={order.isRunning}
            onClick={answer('once', 'The call is approved.')}
          />
        ) : (
          <a href={review}>Review all of it</a>
        )}
        <Button label="Deny" disabled={order.isRunning} onClick={answer('refuse', 'The call is denied.')} />
      </span>
    </li>
  );
}
