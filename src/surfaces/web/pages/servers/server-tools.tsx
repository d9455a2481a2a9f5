/** The tools of one server: which of them agents get, and which have to be asked for. */

import { useRef, useState } from 'preact/hooks';
import type { ServerDetails, SurveyedTool } from '../../../../admin/admin.ts';
import { Empty, Panel, WhenFetched } from '../../parts/basic.tsx';
import { formatCount, visibleText } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOperation, useOrder } from '../../state.ts';
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
    <button type="button" disabled={isSaving} onClick={() => void set({ name, tools: null })}>
      Expose all tools
    </button>
  );
  return (
    <Panel title="Tools" tools={all}>
      <WhenFetched answer={survey}>
        {(tools) =>
          tools.length === 0 ? (
            <Empty title={details.listedAt === null ? 'Its tools are not known yet' : 'It has no tools'} />
          ) : (
            <div class="scroll">
              <table aria-label={`Tools of ${name}`}>
                <thead>
                  <tr>
                    <th>Tool</th>
                    <th>Exposed</th>
                    <th>Permission</th>
                    <th>For agents</th>
                    <th class="number extra">Calls</th>
                  </tr>
                </thead>
                <tbody>
                  {tools.map((tool) => (
                    <ServerTool
                      key={tool.toolKey}
                      tool={tool}
                      isFixed={isFixed || isSaving}
                      onExpose={(isOn) => void set({ name, tools: exposureAfter(tools, tool.serverName, isOn) })}
                      isLast={exposureAfter(tools, tool.serverName, false).length === 0}
                      onPermission={(permission) =>
                        void set({
                          name,
                          permissions: permissionAfter(settings.permissions, tool.serverName, permission),
                        })
                      }
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </WhenFetched>
    </Panel>
  );
}

interface ServerToolProps {
  readonly tool: SurveyedTool;
  readonly isFixed: boolean;
  /** True for the only one that is exposed. */
  readonly isLast: boolean;
  readonly onExpose: (isOn: boolean) => void;
  readonly onPermission: (permission: SurveyedTool['permission']) => void;
}

function ServerTool({ tool, isFixed, isLast, onExpose, onPermission }: ServerToolProps) {
  const name = visibleText(tool.name);
  return (
    <tr>
      <td>
        <a href={pageLink(['tools', tool.toolKey])}>{name}</a>
      </td>
      <td>
        <input
          type="checkbox"
          aria-label={`Expose ${name}`}
          title={isLast ? 'At least one tool stays exposed. To hide all, disable the server.' : undefined}
          checked={tool.absence !== 'hidden'}
          disabled={isFixed || isLast}
          onChange={({ currentTarget }) => onExpose(currentTarget.checked)}
        />
      </td>
      <td>
        <select
          aria-label={`Permission of ${name}`}
          value={tool.permission}
          disabled={isFixed}
          onChange={({ currentTarget }) => onPermission(currentTarget.value as SurveyedTool['permission'])}
        >
          <option value="allow">allow</option>
          <option value="ask">ask</option>
          <option value="deny">deny</option>
        </select>
      </td>
      <td>
        <ToolStateBadge tool={tool} />
      </td>
      <td class="number extra">{formatCount(tool.callCount)}</td>
    </tr>
  );
}
