/** Changes how a server is reached: the new way is tried out, its tools are shown, and then it is kept or discarded. */

import { useState } from 'preact/hooks';
import type { ConnectionChanges, ConnectionTrial, WrittenConnection } from '../../../../admin/admin.ts';
import { plural } from '../../../../base/plural.ts';
import { firstSentence } from '../../../../base/text.ts';
import { changesIn, formOf, problemsIn, whyFixed } from '../../../wording/wording.ts';
import { Badge, Button, Empty, Failed, Panel, WhenFetched } from '../../parts/basic.tsx';
import { Said, SaidLines, visibleText } from '../../parts/texts.tsx';
import { goTo, pageLink } from '../../router.ts';
import { run } from '../../session.ts';
import { useOperation, useOrder } from '../../state.ts';
import { ConnectionFields, useConnectionForm } from './connection-fields.tsx';

export function EditServer({ name }: { readonly name: string }) {
  // Asked once: what somebody types must not be replaced.
  const details = useOperation('servers.show', { name });
  return (
    <>
      <p>
        <a href={pageLink(['servers'])}>Servers</a> / <a href={pageLink(['servers', name])}>{name}</a>
      </p>
      <WhenFetched answer={details}>
        {(server) =>
          server.written === null ? (
            <Empty title="This connection cannot be changed here">{whyFixed(server)}</Empty>
          ) : (
            <EditConnection name={name} written={server.written} />
          )
        }
      </WhenFetched>
    </>
  );
}

interface Tried {
  readonly trial: ConnectionTrial;
  readonly connection: ConnectionChanges;
  readonly allowEnv: boolean;
}

const nobody = new Set<string>();

function EditConnection({ name, written }: { readonly name: string; readonly written: WrittenConnection }) {
  const [tried, setTried] = useState<Tried>();
  const state = useConnectionForm({
    first: formOf(name, written),
    problemsOf: (form) => problemsIn(form, nobody),
    onSend: async (form, allowEnv) => {
      const connection = changesIn(form, written);
      setTried({ trial: await run('servers.try', { name, connection, allowEnv }), connection, allowEnv });
    },
  });
  if (tried) return <TriedConnection name={name} tried={tried} onBack={() => setTried(undefined)} />;
  return (
    <Panel title={`Edit the connection of “${name}”`}>
      <ConnectionFields
        state={state}
        question="Agents use the old connection until you keep the new one."
        cancel={pageLink(['servers', name])}
      >
        <p class="soft">Secrets are not shown. A value that reads “***” or “Kept” stays until you type over it.</p>
      </ConnectionFields>
    </Panel>
  );
}

interface TriedConnectionProps {
  readonly name: string;
  readonly tried: Tried;
  /** Back to the form. */
  readonly onBack: () => void;
}

function TriedConnection({ name, tried: { trial, connection, allowEnv }, onBack }: TriedConnectionProps) {
  const { tools, removed, isOther, error } = trial;
  const order = useOrder();
  const keep = async () => {
    const kept = await order.give(
      'servers.set',
      { name, connection, allowEnv },
      `The connection of “${name}” is kept.`,
    );
    if (kept) goTo(['servers', name]);
  };
  return (
    <Panel title={`Keep the new connection of “${name}”?`}>
      {error === null ? (
        <p>{`It works, and offers ${plural(tools.length, 'tool')}.`}</p>
      ) : (
        <TrialTrouble trial={trial} />
      )}
      {isOther && (
        <p class="notice warn">
          This is another program or address: what you approved for “{name}” does not hold for it. Toolcrib checks its
          definitions like those of a new server.
        </p>
      )}
      {removed.length > 0 && (
        <p>
          Gone: <Said text={removed.join(', ')} />
        </p>
      )}
      <TriedTools trial={trial} />
      <p class="soft">Agents use the old connection until you keep the new one. “Discard” changes nothing.</p>
      <div class="tools">
        <Button
          label={error === null ? 'Keep' : 'Keep anyway'}
          class={error === null ? 'main' : ''}
          disabled={order.isRunning}
          onClick={() => void keep()}
        />
        <Button label="Edit again" class={error === null ? '' : 'main'} disabled={order.isRunning} onClick={onBack} />
        <Button label="Discard" disabled={order.isRunning} onClick={() => goTo(['servers', name])} />
      </div>
    </Panel>
  );
}

function TrialTrouble({ trial: { error, hint, reason, stderr } }: { readonly trial: ConnectionTrial }) {
  // A sign-in belongs to the address that is kept. Nothing restarts a program on trial, and its output is below.
  const advice = reason === 'credential' ? 'If it needs a sign-in, keep it and sign in on its page.' : hint;
  return (
    <>
      <Failed message={error ?? ''} hint={reason === 'exited' ? undefined : (advice ?? undefined)} />
      {stderr !== '' && <SaidLines text={stderr} label="Output" />}
    </>
  );
}

function TriedTools({ trial: { tools, added } }: { readonly trial: ConnectionTrial }) {
  if (tools.length === 0) return null;
  return (
    <ul class="list" aria-label="Tools">
      {tools.map(({ name, description }) => (
        <li key={name}>
          <strong>{visibleText(name)}</strong> {added.includes(name) && <Badge>new</Badge>}{' '}
          <Said text={firstSentence(description)} />
        </li>
      ))}
    </ul>
  );
}
