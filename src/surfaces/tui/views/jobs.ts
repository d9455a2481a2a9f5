/** Jobs of the optimizer, the newest first: how far each is, and what came of it. */

import { minuteOf } from '../../../base/amounts.ts';
import { type Job, percentDone, sayJob } from '../../wording/wording.ts';
import { stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useTui } from '../state.ts';

export function useJobsView(): Screen {
  const { rows, go } = useTui();
  const { data, error } = useAnswer('optimize.jobs', {}, ['jobs', 'config']);
  const list = useList({
    name: 'jobs',
    items: data?.jobs.toReversed() ?? [],
    idOf: ({ id }) => id,
    rows: rows - headRows,
  });
  const open = () => list.selected && go({ view: 'job', id: list.selected.id });
  return {
    title: 'Jobs of the optimizer',
    commands: [{ key: 'enter', label: 'Show', run: open }, ...list.commands],
    body:
      list.selected === undefined
        ? stack(
            error === undefined
              ? say(data ? 'No jobs yet.' : 'Reading jobs…', 'faint')
              : say(troubleInWords(error), 'bad'),
          )
        : listTable(list, columns),
  };
}

export const jobTones: Readonly<Record<string, TextTone>> = {
  ...{ done: 'good', failed: 'bad', paused: 'notice', cancelled: 'faint' },
};

const columns: readonly TableColumn<Job>[] = [
  { title: 'State', width: 9, cell: ({ state }) => state, tone: ({ state }) => jobTones[state] },
  { title: 'Done', width: 5, isNumber: true, cell: ({ progress }) => `${Math.floor(percentDone(progress))} %` },
  { title: 'By', width: 10, cell: ({ by }) => by, tone: () => 'faint' },
  { title: 'Begun', width: 20, cell: ({ createdAt }) => minuteOf(createdAt), tone: () => 'faint' },
  { title: 'Tools and outcome', cell: sayJob },
];
