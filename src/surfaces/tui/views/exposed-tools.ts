/** A list to tick: the tools of a server that agents get. */

import { useState } from 'react';
import type { ServerDetails, SurveyedTool } from '../../../admin/admin.ts';
import { isAmong, isPattern } from '../../../base/pattern.ts';
import { toolStateInWords, whyFixed } from '../../wording/wording.ts';
import { cells, gap, paragraph, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { say } from '../parts/text.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useLivePart, useOrders, useTui } from '../state.ts';

/** Names by which the server knows its tools; null: all, also those that it adds later. */
type Exposure = readonly string[] | null;

/** Lines above the list, and below it for the tool that is chosen. */
const headLines = 4;
const footLines = 4;

export function useExposedToolsView({ server }: { readonly server: string }): Screen {
  const { rows, columns } = useTui();
  const state = useLivePart(({ view }) => view?.servers.get(server)?.state);
  const { data: details, error } = useAnswer('servers.show', { name: server }, ['servers', 'tools', 'config']);
  const survey = useAnswer('tools.survey', { server }, ['tools', 'definitions', 'config']).data;
  const tools = ownTools(survey ?? []);
  const [changed, change] = useState<Exposure>();
  const names = tools.map(({ serverName }) => serverName);
  const before = details && exposureIn(details, names);
  const exposure = changed === undefined ? before : changed;
  const list = useList({
    name: `exposed ${server}`,
    items: tools,
    idOf: ({ serverName }) => serverName,
    rows: Math.max(1, rows - headLines - footLines),
  });
  const choice = { server, names, before, exposure, change, selected: list.selected?.serverName };
  const commands = useExposureCommands(choice);
  const title = `Tools of ${server} for agents`;
  if (details === undefined || exposure === undefined)
    return { title, commands: [], body: say(error === undefined ? '' : troubleInWords(error), 'bad') };
  const fixed = whyFixed(details);
  const isListed = tools.length > 0;
  return {
    title,
    commands: [...(isListed && fixed === null ? commands : []), ...list.commands],
    body: stack(
      say(`Selected: ${names.filter((name) => isExposed(exposure, name)).length}/${names.length} tools`, 'strong'),
      paragraph(fixed ?? meaningOf(exposure, details.settings.tools), 2, fixed === null ? undefined : 'notice'),
      gap('gap'),
      isListed ? null : say(`Its tools are not known${state === 'connected' ? '' : ` (${state ?? 'gone'})`}.`, 'faint'),
      list.show((tool, isSelected) =>
        cells(
          [
            { text: isExposed(exposure, tool.serverName) ? '[x]' : '[ ]', width: 3 },
            { text: tool.serverName, width: columns < 110 ? 26 : 36 },
            { text: remarkOnTool(tool) + tool.description, tone: 'faint' },
          ],
          isSelected,
        ),
      ),
      gap('foot'),
      list.selected ? paragraph(list.selected.description, footLines - 2) : null,
    ),
  };
}

interface ExposureChoice {
  readonly server: string;
  readonly names: readonly string[];
  readonly before: Exposure | undefined;
  readonly exposure: Exposure | undefined;
  readonly change: (next: (last: Exposure | undefined) => Exposure) => void;
  readonly selected: string | undefined;
}

function useExposureCommands(choice: ExposureChoice): readonly KeyCommand[] {
  const { server, names, before = null, exposure = null, change, selected } = choice;
  const { back, tell } = useTui();
  const { give, isRunning } = useOrders();
  const save = async () => {
    if (isRunning) return;
    if (exposure?.length === 0)
      return tell('Select at least one tool. To hide all of them, disable the server.', 'failed');
    const isSame = JSON.stringify(exposure) === JSON.stringify(before);
    if (isSame || (await give('servers.set', { name: server, tools: exposure && [...exposure] }, 'Saved.'))) back();
  };
  /** Several keys may come at once: each begins with what the last one has made. */
  const next = (make: (last: Exposure) => Exposure) => change((last) => make(last === undefined ? before : last));
  const toggle = () =>
    next((last) => names.filter((name) => (name === selected ? !isExposed(last, name) : isExposed(last, name))));
  return [
    { key: ' ', label: 'Select', run: toggle },
    { key: 'a', label: 'All', run: () => next((last) => (last === null ? names : null)) },
    { key: 'n', label: 'None', run: () => next(() => []) },
    { key: 'enter', label: 'Save', run: () => void save() },
    { key: 'esc', label: 'Cancel', run: back },
  ];
}

function isExposed(exposure: Exposure, name: string): boolean {
  return exposure === null || exposure.includes(name);
}

function exposureIn({ settings: { tools } }: ServerDetails, names: readonly string[]): Exposure {
  return tools && names.filter((name) => isAmong(tools, name));
}

/** All of today and all of every day look alike in the list. */
function meaningOf(exposure: Exposure, configured: readonly string[] | null): string {
  if (exposure === null) return 'All tools, also those that the server adds later.';
  const patterns = (configured ?? []).filter(isPattern);
  const kept = patterns.length === 0 ? '' : ` A change replaces ${patterns.join(', ')} by names.`;
  return `Only these: tools that the server adds later stay hidden. a takes those too.${kept}`;
}

/** One line for each tool, whatever other names the owner gave it. */
function ownTools(survey: readonly SurveyedTool[]): readonly SurveyedTool[] {
  return [...new Map(survey.map((tool) => [tool.serverName, tool])).values()];
}

/** Reasons other than the choice made here. */
function remarkOnTool(tool: SurveyedTool): string {
  return tool.absence === null || tool.absence === 'hidden' ? '' : `(${toolStateInWords(tool)}) `;
}
