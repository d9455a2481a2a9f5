/** One description: what agents read, how it does, why it misleads, and what could replace it. */

import { plural } from '../../../../base/plural.ts';
import {
  promptClasses,
  type ReportedTool,
  type ShownReport,
  sayEvidence,
  sayGain,
  shareOfClass,
  titleWithLength,
} from '../../../wording/wording.ts';
import { Empty, Facts, Panel, WhenFetched } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { Said, Time } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOperation, useOrder } from '../../state.ts';
import { CandidatesPanel } from './candidates.tsx';
import { PromptsPanel } from './prompts.tsx';
import { StartJobButton } from './start-job.tsx';
import { OptimizerStatus } from './tool-table.tsx';

interface OneToolProps {
  readonly server: string;
  readonly name: string;
  readonly report: ShownReport;
}

export function OneTool({ server, name, report }: OneToolProps) {
  const tool = report.servers.find(({ serverName }) => serverName === server)?.tools.find((one) => one.name === name);
  const results = useOperation('optimize.results', tool ? { server, tool: name } : null, ['tools', 'optimizer']);
  if (!tool) return <Empty title={`There is no tool “${server}:${name}”`} />;
  return (
    <>
      <p>
        <a href={pageLink(['optimizer'])}>Optimizer</a> / <a href={pageLink(['optimizer', server])}>{server}</a> /{' '}
        <Said text={name} />
      </p>
      <ToolSummary server={server} tool={tool} />
      <ToolDiagnosis tool={tool} />
      <WhenFetched answer={results}>
        {(data) => (
          <>
            <CandidatesPanel server={server} tool={name} results={data} own={tool.canonicalDescription} />
            <PromptsPanel server={server} tool={name} results={data} />
          </>
        )}
      </WhenFetched>
    </>
  );
}

function ToolSummary({ server, tool }: { readonly server: string; readonly tool: ReportedTool }) {
  const { name, promotion, metrics, baseline } = tool;
  const { give, isRunning } = useOrder();
  const revert = () =>
    give('optimize.revert', { server, tool: name }, 'Agents read the server’s own description again.');
  const gain = metrics && baseline ? metrics.overall - baseline.overall : null;
  const percent = (share: number | null) => (share === null ? null : `${Math.round(100 * share)} %`);
  return (
    <Panel
      title={`${server}:${name}`}
      tools={
        <>
          <OptimizerStatus status={tool.status} />
          <StartJobButton server={server} tool={name} />
          {promotion && (
            <ConfirmButton
              label="Revert"
              question="Revert this description? Agents read the server’s own again at once; the candidate is kept."
              isDisabled={isRunning}
              onConfirm={() => void revert()}
            />
          )}
        </>
      }
    >
      <Facts
        rows={[
          ...promptClasses.map((one) => [one, percent(shareOfClass(tool, one))] as const),
          ['Gain', gain === null ? null : sayGain(gain)],
          ['Promoted', promotion && <Time at={promotion.promotedAt} />],
          ['By', promotion && sayEvidence(promotion)],
          ['Why', promotion && 'why' in promotion && promotion.why ? <Said text={promotion.why} /> : null],
          [
            'Definition',
            <a key="link" href={pageLink(['tools', `${server}:${name}`])}>
              Show the tool
            </a>,
          ],
        ]}
      />
      <ShownWordings tool={tool} />
    </Panel>
  );
}

/** The server's own description, beside the one that agents read instead. */
function ShownWordings({ tool }: { readonly tool: ReportedTool }) {
  const { canonicalDescription: own, promotedDescription: shown } = tool;
  if (shown !== undefined)
    return (
      <TextDiff
        label="The server’s own description and the one that agents read"
        before={own}
        after={shown}
        titles={[titleWithLength('The server’s own', own), titleWithLength('Shown to agents', shown)]}
      />
    );
  return (
    <>
      <h3>{titleWithLength('Shown to agents: the server’s own', own)}</h3>
      <Said as="p" class="box wording" text={own || 'The server gives no description.'} />
    </>
  );
}

const questionWords: Readonly<Record<keyof ReportedTool['diagnosis']['says'], string>> = {
  purpose: 'what it does',
  use: 'when to use it',
  avoid: 'when not to, and what instead',
  needs: 'what it needs',
  returns: 'what it returns',
  limits: 'its limits',
};

function ToolDiagnosis({ tool: { diagnosis } }: { readonly tool: ReportedTool }) {
  const { says, finding, traffic, advice } = diagnosis;
  const { calls, argumentErrors, calledThenAnother, foundNotTaken } = traffic;
  return (
    <Panel title="Diagnosis">
      <div class="grid">
        <div>
          <h3>The description says</h3>
          <ul class="list">
            {Object.entries(questionWords).map(([question, words]) => {
              const isSaid = says[question as keyof typeof says];
              return (
                <li key={question}>
                  <span class={isSaid ? 'good' : 'bad'} aria-hidden="true">
                    {isSaid ? '✓' : '✗'}
                  </span>
                  <span class="unseen">{isSaid ? 'yes:' : 'no:'}</span> {words}
                </li>
              );
            })}
          </ul>
        </div>
        <div>
          <h3>Where it leads</h3>
          <p>
            {finding
              ? `${finding.right} of ${finding.all} prompts lead to it by the search of this gateway.`
              : 'There are no prompts that should lead to it.'}
          </p>
          <ul>
            {finding?.confusions.map(({ tool, prompts }) => (
              <li key={tool}>
                <Said text={tool} /> comes first for {prompts} of them.
              </li>
            ))}
          </ul>
          <p>
            {plural(calls, 'recent call')}: {argumentErrors} with wrong arguments, {calledThenAnother} followed by
            another tool for the same need. Found and not called: {foundNotTaken}.
          </p>
        </div>
        {advice.length > 0 && (
          <div>
            <h3>Advice</h3>
            <ul>
              {advice.map((sentence) => (
                <Said as="li" key={sentence} text={sentence} />
              ))}
            </ul>
          </div>
        )}
      </div>
    </Panel>
  );
}
