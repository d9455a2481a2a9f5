/** A server that was just added: what it offers, or why it does not work; it is kept, or discarded as if it had never been. */

import { useState } from 'preact/hooks';
import type { ServerDetails } from '../../../../admin/admin.ts';
import { firstSentence } from '../../../../base/text.ts';
import { isPassing } from '../../../wording/wording.ts';
import { Badge, Button, Failed, Loading, Panel, WhenFetched } from '../../parts/basic.tsx';
import { Check } from '../../parts/fields.tsx';
import { Said, SaidLines, visibleText } from '../../parts/texts.tsx';
import { goTo } from '../../router.ts';
import { useOperation, useOrder, usePageState } from '../../state.ts';
import { ServerSignIn } from './server-sign-in.tsx';
import { ServerStateBadge } from './server-state.tsx';

interface FoundServerProps {
  readonly name: string;
  readonly onDiscarded: () => void;
}

export function FoundServer({ name, onDiscarded }: FoundServerProps) {
  const [isGoing, setGoing] = useState(false);
  const answer = useOperation('servers.show', isGoing ? null : { name }, ['servers', 'tools']);
  const order = useOrder();
  const { tell } = usePageState();
  /** Tools that are not to be exposed. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const discard = async () => {
    setGoing(true);
    if (await order.give('servers.remove', { name }, `Server “${name}” is discarded.`)) onDiscarded();
    else setGoing(false);
  };
  const keep = async (server: ServerDetails) => {
    const tools = server.tools.filter((tool) => !left.has(tool));
    const isNarrowed = tools.length < server.tools.length && tools.length > 0;
    if (isNarrowed && !(await order.give('servers.set', { name, tools }))) return;
    tell(`Server “${name}” is kept.`);
    goTo(['servers', name]);
  };
  return (
    <WhenFetched answer={answer}>
      {(server) => {
        const isListed = server.listedAt !== null;
        const isNone = isListed && server.tools.length > 0 && server.tools.every((tool) => left.has(tool));
        return (
          <Panel title={`Keep “${name}”?`}>
            <p class="tools">
              <ServerStateBadge state={server.state} />{' '}
              {isListed ? `It offers ${counted(server.tools.length)}.` : 'Its tools are not known yet.'}
            </p>
            <p class="soft">{adviceOn(server)}</p>
            {!isGoing && <FoundTrouble server={server} />}
            {!isGoing && <ServerSignIn name={name} />}
            {server.held.map(({ kind, name: held }) => (
              <p key={`${kind}:${held}`} class="notice warn">
                {`Withheld until you approve it: ${visibleText(held)}`} <Badge>{kind}</Badge>
              </p>
            ))}
            <FoundTools server={server} left={left} onChange={setLeft} />
            <div class="tools">
              <Button
                label={isListed ? 'Keep' : 'Keep anyway'}
                class={hasFailed(server) ? '' : 'main'}
                disabled={order.isRunning || isNone}
                onClick={() => void keep(server)}
              />
              <Button
                label="Discard"
                class={hasFailed(server) ? 'main' : 'danger'}
                disabled={order.isRunning}
                onClick={() => void discard()}
              />
              {!isListed && (
                <Button
                  label="Try again"
                  disabled={order.isRunning}
                  onClick={() => void order.give('servers.refresh', { name, once: true })}
                />
              )}
              {isNone && <span class="bad">Expose at least one tool, or discard the server.</span>}
            </div>
          </Panel>
        );
      }}
    </WhenFetched>
  );
}

/** True if it will not work as it was added. A server that waits for a sign-in may. */
function hasFailed({ state, reason }: ServerDetails): boolean {
  return state === 'failed' && reason !== 'sign-in';
}

function adviceOn(server: ServerDetails): string {
  if (hasFailed(server)) return 'It did not start. “Discard” forgets it and goes back to the form.';
  const state = server.state === 'connected' ? 'It is running now, and agents can see what it offers.' : '';
  return `${state} “Discard” stops it and forgets everything about it.`.trim();
}

function counted(count: number): string {
  return count === 1 ? 'one tool' : `${count} tools`;
}

function FoundTrouble({ server }: { readonly server: ServerDetails }) {
  const output = useOperation('servers.output', { name: server.name }, ['servers']);
  if (isPassing(server.state)) return <Loading />;
  if (server.lastError === null) return null;
  const stderr = output.data?.stderr ?? '';
  return (
    <>
      <Failed
        message={visibleText(server.lastError)}
        hint={server.hint === null ? undefined : visibleText(server.hint)}
      />
      {stderr !== '' && <SaidLines text={stderr} label="Output" />}
    </>
  );
}

interface FoundToolsProps {
  readonly server: ServerDetails;
  readonly left: ReadonlySet<string>;
  readonly onChange: (left: ReadonlySet<string>) => void;
}

function FoundTools({ server: { name, tools }, left, onChange }: FoundToolsProps) {
  const survey = useOperation('tools.survey', tools.length === 0 ? null : { server: name }, ['tools']);
  const descriptions = new Map(survey.data?.map(({ serverName, description }) => [serverName, description]));
  if (tools.length === 0) return null;
  return (
    <fieldset class="choices lines">
      <legend>Tools that agents get</legend>
      {tools.map((tool) => (
        <Check
          key={tool}
          isOn={!left.has(tool)}
          onValue={(isOn) => onChange(isOn ? left.difference(new Set([tool])) : left.union(new Set([tool])))}
        >
          <strong>{visibleText(tool)}</strong> <Said text={firstSentence(descriptions.get(tool) ?? '')} />
        </Check>
      ))}
    </fieldset>
  );
}
