/** The gateway itself: what it is, its problems, and a search for more on demand. */

import { useState } from 'preact/hooks';
import type { GatewayFacts, HealthFinding } from '../../../../admin/admin.ts';
import { plural } from '../../../../base/plural.ts';
import { Badge, Facts, Panel, type Tone, WhenFetched } from '../../parts/basic.tsx';
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
        <button type="button" disabled={order.isRunning} onClick={() => void examine()}>
          {order.isRunning ? 'Checking …' : 'Find problems'}
        </button>
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
                ['Data', facts.dataDir],
                ['Config file', facts.configFile ?? 'none'],
              ]}
            />
          </>
        )}
      </WhenFetched>
      {findings && <Findings findings={findings} />}
    </Panel>
  );
}

function GatewayProblems({ facts }: { readonly facts: GatewayFacts }) {
  const { configProblem, diskProblem, configWarnings, isAuthOff } = facts;
  return (
    <>
      {diskProblem && (
        <div class="notice bad" role="alert">
          <strong>{diskProblem.message}</strong>
          {diskProblem.hint && <p>{diskProblem.hint}</p>}
        </div>
      )}
      {configProblem !== null && (
        <div class="notice bad" role="alert">
          <strong>The last edit of the config file is not in effect.</strong>
          <SaidLines label="Mistakes in the config file" text={configProblem} />
        </div>
      )}
      {configWarnings.map((warning) => (
        <p key={warning} class="notice warn">
          <Said text={warning} />
        </p>
      ))}
      {isAuthOff && <p class="notice warn">No token is required: anyone who reaches this gateway can use it.</p>}
    </>
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
      <ul class="findings">
        {shown.map(({ severity, subject, message, hint, output }) => (
          <li key={`${subject} ${message}`}>
            <Badge tone={severities[severity][0]}>{severities[severity][1]}</Badge>
            <div>
              <strong>
                <Said text={subject} />
              </strong>{' '}
              <Said text={message} />
              {hint && (
                <p>
                  <Said text={hint} />
                </p>
              )}
              {output && output.length > 0 && <SaidLines label={`Output of ${subject}`} text={output.join('\n')} />}
            </div>
          </li>
        ))}
      </ul>
      {fine.length > 0 && <small>No problems: {fine.map(({ subject }) => subject).join(', ')}</small>}
    </div>
  );
}
