/** One tool: what it says of itself, how it is called, how its wording changed, and how its calls went. */

import type { OutputOf, SurveyedTool } from '../../../../admin/admin.ts';
import { claimsInWords, isDefinitionReadable, isSchema, type Schema } from '../../../wording/wording.ts';
import { Empty, Facts, Panel, WhenFetched } from '../../parts/basic.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Ago, Said, SaidLines, visibleText } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOperation } from '../../state.ts';
import { SchemaTable } from './schema-table.tsx';
import { ToolFiguresPanel } from './tool-figures.tsx';
import { ToolHistory } from './tool-history.tsx';
import { ToolStateBadge } from './tool-state.tsx';
import { TryTool } from './try-tool.tsx';
import { ToldReason } from './why-missing.tsx';

type ToolInfo = OutputOf<'tools.info'>;

export function ToolDetail({ toolKey, tab }: { readonly toolKey: string; readonly tab: string }) {
  const server = toolKey.slice(0, Math.max(0, toolKey.indexOf(':')));
  const survey = useOperation('tools.survey', server === '' ? {} : { server }, ['tools', 'definitions']);
  const tool = survey.data?.find((row) => row.toolKey === toolKey);
  return (
    <>
      <p>
        <a href={pageLink(['tools'])}>Tools</a> / <a href={pageLink(['servers', server])}>{server}</a>
      </p>
      <WhenFetched answer={survey}>
        {() => (tool ? <KnownTool tool={tool} tab={tab} /> : <MissingTool toolKey={toolKey} />)}
      </WhenFetched>
    </>
  );
}

function MissingTool({ toolKey }: { readonly toolKey: string }) {
  const why = useOperation('tools.why', { name: toolKey });
  return (
    <Panel title={toolKey}>
      <WhenFetched answer={why}>
        {({ answers }) => answers.map((told) => <ToldReason key={told.message} told={told} />)}
      </WhenFetched>
    </Panel>
  );
}

function KnownTool({ tool, tab }: { readonly tool: SurveyedTool; readonly tab: string }) {
  const { toolKey } = tool;
  const why = useOperation('tools.why', tool.absence === null ? null : { name: toolKey }, ['tools', 'servers']);
  const canRead = isDefinitionReadable(tool);
  const info = useOperation('tools.info', canRead ? { toolKey } : null, ['tools']);
  return (
    <>
      <section class="panel" aria-label={toolKey}>
        <h1 class="tools">
          <Said text={toolKey} /> <ToolStateBadge tool={tool} />
        </h1>
        {why.data?.answers.map((told) => (
          <ToldReason key={told.message} told={told} />
        ))}
        {canRead && info.data && <ToolFacts info={info.data} />}
      </section>
      <Tabs label="Views of the tool" shown={tab} />
      {tab === 'history' && <ToolHistory server={tool.server} name={tool.serverName} />}
      {tab === 'figures' && <ToolFiguresPanel tool={tool} />}
      {(tab === 'definition' || tab === 'try') &&
        (canRead ? (
          <WhenFetched answer={info}>
            {(data) =>
              tab === 'try' ? (
                <TryTool toolKey={toolKey} inputSchema={definitionIn(data).inputSchema} permission={tool.permission} />
              ) : (
                <ToolDefinition info={data} />
              )
            }
          </WhenFetched>
        ) : (
          <Panel>
            <Empty title="Agents cannot see this tool">
              Its definition appears here once they can. See its history for earlier wordings.
            </Empty>
          </Panel>
        ))}
    </>
  );
}

function definitionIn({ definition }: ToolInfo): Schema {
  return isSchema(definition) ? definition : {};
}

function ToolFacts({ info }: { readonly info: ToolInfo }) {
  const { annotations, title } = definitionIn(info);
  const change: unknown = info.lastChange;
  return (
    <Facts
      rows={[
        ['Title', typeof title === 'string' ? visibleText(title) : null],
        ['Category', String(info.category ?? '')],
        ['The server says', claimsInWords(annotations)],
        ['Last change', isSchema(change) ? <Ago at={String(change.at)} /> : null],
        [
          'Fingerprint',
          <span key="mark" class="fixed">
            {String(info.fingerprint).slice(0, 12)}
          </span>,
        ],
      ]}
    />
  );
}

function ToolDefinition({ info }: { readonly info: ToolInfo }) {
  const { description, inputSchema, outputSchema, ...others } = definitionIn(info);
  const canonical = info.canonicalDescription;
  return (
    <>
      {typeof canonical === 'string' ? (
        <div class="grid">
          <Panel title="Improved description, which agents read">
            <SaidLines text={String(description ?? '')} label="Improved description" />
          </Panel>
          <Panel title="The server’s own description">
            <SaidLines text={canonical} label="The server’s own description" />
          </Panel>
        </div>
      ) : (
        <Panel title="Description">
          {typeof description === 'string' && description.trim() !== '' ? (
            <SaidLines text={description} label="Description" />
          ) : (
            <Empty title="It has no description" />
          )}
        </Panel>
      )}
      <Panel title="Input">
        <SchemaTable schema={inputSchema} empty="No arguments" />
      </Panel>
      {outputSchema !== undefined && (
        <Panel title="Output">
          <SchemaTable schema={outputSchema} empty="No output schema" />
        </Panel>
      )}
      <Panel>
        <details>
          <summary>The whole definition as JSON</summary>
          <SaidLines
            text={JSON.stringify({ ...others, description, inputSchema, outputSchema }, null, 2)}
            label="Definition"
          />
        </details>
      </Panel>
    </>
  );
}
