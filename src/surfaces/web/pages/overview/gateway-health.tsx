/** The gateway itself: what it is, its problems, and a search for more on demand. */

import { useState } from 'preact/hooks';
import type { GatewayFacts, HealthFinding } from '../../../../admin/admin.ts';
import { plural } from '../../../../base/plural.ts';
import { Badge, Button, Facts, Panel, type Tone, WhenFetched } from '../../parts/basic.tsx';
import { Ago, Said, SaidLines } from '../../parts/texts.tsx';
import { useOperation, useOrder } from '../../state.ts';

export function GatewayHealth() {
  const status = useOperation('gateway.status', {}, ['config', 'calls']);
  const order = useOrder();
  const [findings, setFindings] = useState<readonly HealthFinding[] | undefined>();
  const examine = async () => setFindings((await order.give('gateway.doctor', {}))?.findings ?? findings);
  return (
    <Panel
      title="This gateway"
      tools={
        <Button
          label={order.isRunning ? 'Checking …' : 'Find problems'}
          disabled={order.isRunning}
          onClick={() => void examine()}
        />
      }
    >
      <WhenFetched answer={status}>
        {(facts) => (
          <>
            <GatewayProblems facts={facts} />
            <Facts
              rows={[
                ['Version', facts.version],
                ['Address', facts.url],
                ['Started', <Ago key="started" at={facts.startedAt} />],
                ['Data', <code key="data">{facts.dataDir}</code>],
                ['Config file', facts.configFile === null ? 'none' : <code key="config">{facts.configFile}</code>],
              ]}
            />
          </>
        )}
      </WhenFetched>
      <ReplicaList />
      {findings && <Findings findings={findings} />}
    </Panel>
  );
}

function GatewayProblems({ facts }: { readonly facts: GatewayFacts }) {
  const { configProblem, diskProblem, recordsProblem, configWarnings, isAuthOff } = facts;
  const unsaved = [diskProblem, recordsProblem].filter((problem) => problem !== null);
  return (
    <>
      {unsaved.map(({ message, hint }) => (
        <div class="notice bad" role="alert" key={message}>
          <strong>{message}</strong>
          {hint && <p>{hint}</p>}
        </div>
      ))}
      {configProblem !== null && (
        <div class="notice bad" role="alert">
          <strong>The last edit of the config file is not in effect.</strong>
          <SaidLines label="Mistakes in the config file" text={configProblem} />
        </div>
      )}
      {configWarnings.map((warning) => (
        <Said as="p" key={warning} class="notice warn" text={warning} />
      ))}
      {isAuthOff && <p class="notice warn">No token is required: anyone who reaches this gateway can use it.</p>}
    </>
  );
}

/** Only where several share the store. */
function ReplicaList() {
  const { data: replicas = [] } = useOperation('gateway.replicas', {}, ['config', 'calls']);
  if (replicas.length < 2) return null;
  return (
    <section aria-label="Replicas">
      <h3>{plural(replicas.length, 'replica')} on this store</h3>
      <ul class="list">
        {replicas.map(({ id, url, version, startedAt, isThis, hasSameKey, hasSameConfig, hasSameClock }) => (
          <li key={id}>
            <code>{url}</code> {version}, started <Ago at={startedAt} /> {isThis && <Badge>this one</Badge>}{' '}
            {!hasSameKey && <Badge tone="bad">another key for secrets</Badge>}
            {hasSameKey && !hasSameConfig && <Badge tone="bad">another config or other flags</Badge>}
            {!hasSameClock && <Badge tone="bad">clock differs</Badge>}
          </li>
        ))}
      </ul>
    </section>
  );
}

const severities: Readonly<Record<HealthFinding['severity'], readonly [Tone, string]>> = {
  problem: ['bad', 'problem'],
  note: ['warn', 'note'],
  ok: ['good', 'ok'],
};

function Findings({ findings }: { readonly findings: readonly HealthFinding[] }) {
  const fine = findings.filter(({ severity }) => severity === 'ok');
  const order: readonly HealthFinding['severity'][] = ['problem', 'note'];
  const shown = order.flatMap((wanted) => findings.filter(({ severity }) => severity === wanted));
  return (
    <div role="status">
      <h3>{shown.length === 0 ? 'No problems found' : plural(shown.length, 'finding')}</h3>
      <ul class="list">
        {shown.map(({ severity, subject, message, hint, output }) => (
          <li key={`${subject} ${message}`} class="marked">
            <Badge tone={severities[severity][0]}>{severities[severity][1]}</Badge>
            <div>
              <Said as="strong" text={subject} /> <Said text={message} />
              {hint && <Said as="p" text={hint} />}
              {output && output.length > 0 && <SaidLines label={`Output of ${subject}`} text={output.join('\n')} />}
            </div>
          </li>
        ))}
      </ul>
      {fine.length > 0 && <small>No problems: {fine.map(({ subject }) => subject).join(', ')}</small>}
    </div>
  );
}
