/** The tools of one server: which of them agents get, and which have to be asked for. */

import { useRef, useState } from 'preact/hooks';
import type { ServerDetails, SurveyedTool } from '../../../../admin/admin.ts';
import { toolStateInWords } from '../../../wording/wording.ts';
import { Button, Empty, Panel } from '../../parts/basic.tsx';
import { Select } from '../../parts/fields.tsx';
import { extra, FetchedRows, numberColumn, type RowColumn } from '../../parts/rows.tsx';
import { formatCount, Said, visibleText } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOperation, useOrder } from '../../state.ts';
import { permissionWords } from '../access/project-form.tsx';
import { ToolStateBadge } from '../tools/tool-state.tsx';
import { exposureAfter, permissionAfter } from './server-settings.ts';

interface ServerToolsProps {
  readonly details: ServerDetails;
  /** True where nothing can be changed here. */
  readonly isFixed: boolean;
}

export function ServerTools({ details, isFixed }: ServerToolsProps) {
  const { name, settings } = details;
  const survey = useOperation('tools.survey', { server: name }, ['tools', 'definitions', 'servers']);
  const order = useOrder();
  const latest = useRef(survey.data);
  latest.current = survey.data;
  const [outdated, setOutdated] = useState<typeof survey.data>();
  // The next change is sent as a whole list: it must begin with what this one has made of it.
  const isSaving = order.isRunning || (outdated !== undefined && outdated === survey.data);
  const set = async (changes: Parameters<typeof order.give<'servers.set'>>[1]) => {
    await order.give('servers.set', changes, 'Saved.');
    setOutdated(latest.current);
    survey.reload();
  };
  const all = settings.tools !== null && !isFixed && (
    <Button label="Expose all tools" disabled={isSaving} onClick={() => void set({ name, tools: null })} />
  );
  const tools = survey.data ?? [];
  const inputs: readonly RowColumn<SurveyedTool>[] = [
    {
      title: 'Exposed',
      show: (tool) => (
        <ExposureInput
          tool={tool}
          isFixed={isFixed || isSaving}
          isLast={exposureAfter(tools, tool.serverName, false).length === 0}
          onExpose={(isOn) => void set({ name, tools: exposureAfter(tools, tool.serverName, isOn) })}
        />
      ),
    },
    {
      title: 'Permission',
      show: (tool) => (
        <Select
          label={`Permission of ${visibleText(tool.name)}`}
          value={tool.permission}
          choices={permissionWords}
          isDisabled={isFixed || isSaving}
          onValue={(permission) =>
            void set({ name, permissions: permissionAfter(settings.permissions, tool.serverName, permission) })
          }
        />
      ),
      order: ({ permission }) => permission,
    },
  ];
  return (
    <Panel title="Tools" tools={all}>
      <FetchedRows
        label={`Tools of ${name}`}
        answer={survey}
        columns={[...columns, ...inputs]}
        keyOf={({ toolKey }) => toolKey}
        linkOf={({ toolKey }) => pageLink(['tools', toolKey])}
        empty={<Empty title={details.listedAt === null ? 'Its tools are not known yet' : 'It has no tools'} />}
      />
    </Panel>
  );
}

const columns: readonly RowColumn<SurveyedTool>[] = [
  { title: 'Tool', show: ({ name }) => <Said text={name} />, order: ({ name }) => name },
  { title: 'For agents', show: (tool) => <ToolStateBadge tool={tool} />, order: toolStateInWords, isExtra: true },
  numberColumn('Calls', ({ callCount }) => callCount, formatCount, extra),
];

interface ExposureInputProps {
  readonly tool: SurveyedTool;
  readonly isFixed: boolean;
  /** True for the only one that is exposed. */
  readonly isLast: boolean;
  readonly onExpose: (isOn: boolean) => void;
}

function ExposureInput({ tool, isFixed, isLast, onExpose }: ExposureInputProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Expose ${visibleText(tool.name)}`}
      title={isLast ? 'At least one tool stays exposed. To hide all, disable the server.' : undefined}
      checked={tool.absence !== 'hidden'}
      disabled={isFixed || isLast}
      onChange={({ currentTarget }) => onExpose(currentTarget.checked)}
    />
  );
}
