/** Tools and search: all tools with their use, and while somebody types, what agents would get for that. */

import { useEffect, useMemo } from 'react';
import type { SearchExplanation, SurveyedTool } from '../../../admin/admin.ts';
import { duration, percent } from '../../../base/amounts.ts';
import { isLocalMode, leftOutWords, saySegments, segmentsOf, toolStateInWords } from '../../wording/wording.ts';
import { editText, type TypedText } from '../keys.ts';
import { bar, gap, inLine, paragraph, stack } from '../parts/layout.ts';
import { type List, useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say, type TextTone } from '../parts/text.ts';
import { textAtCursor } from '../parts/text-field.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useRemembered, useTui } from '../state.ts';

/** Typing has to pause this long before a search. */
const pauseMs = 200;
/** Tools that a search shows. */
const mostHits = 20;
/** Lines of the field with its note, and of the text about the chosen hit. */
const fieldRows = 2;
const aboutRows = 4;
/** Less relevant tools are not listed as left out. */
const leastMissed = 0.01;

export function useToolsView(): Screen {
  const { go, back, columns } = useTui();
  const [typed, setTyped] = useRemembered<TypedText>('tools typed', { text: '', at: 0 });
  const [asked, ask] = useRemembered('tools asked', '');
  const need = typed.text.trim();
  const mode = useAnswer('search.status', {}, ['tools', 'config']).data?.mode;
  // A mode that asks another service waits for Enter.
  const isLive = need === '' || isLocalMode(mode);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about what was typed
  useEffect(() => {
    if (!isLive || need === asked) return;
    const timer = setTimeout(() => ask(() => need), pauseMs);
    return () => clearTimeout(timer);
  }, [isLive, need, asked]);
  const all = useAllTools();
  const found = useFoundTools(asked);
  const { list, below } = need === '' ? all : found;
  const open = () => {
    // The list is still about another need.
    if (need !== asked) return ask(() => need);
    if (list.selected) go({ view: 'tool', toolKey: list.selected.toolKey });
  };
  const clear = () => (typed.text === '' ? back() : setTyped(() => ({ text: '', at: 0 })));
  return {
    title: 'Tools',
    commands: [
      { key: 'enter', label: need === asked ? 'Show' : 'Search', run: open },
      { key: 'esc', label: typed.text === '' ? 'Back' : 'Clear', run: clear },
      ...list.commands.filter(({ key }) => key.length > 1 && key !== 'home' && key !== 'end'),
    ],
    onKey: (key) => {
      const next = editText(typed, key);
      if (next) setTyped(() => next);
      return next !== undefined;
    },
    body: stack(
      inLine(
        say('Search:', 'faint'),
        say(textAtCursor(typed, columns - 8)),
        typed.text === '' ? say('type what an agent needs', 'faint') : null,
      ),
      below,
    ),
  };
}

interface ToolList {
  readonly list: Pick<List<{ readonly toolKey: string }>, 'selected' | 'commands'>;
  readonly below: ReturnType<typeof stack>;
}

function useAllTools(): ToolList {
  const { rows, columns: width } = useTui();
  const tools = useAnswer('tools.survey', {}, ['tools', 'definitions', 'config', 'servers', 'figures']).data;
  const items = useMemo(() => (tools ?? []).toSorted((a, b) => (a.toolKey < b.toolKey ? -1 : 1)), [tools]);
  const list = useList({
    ...{ name: 'tools', items, idOf: ({ toolKey }: SurveyedTool) => toolKey },
    rows: rows - fieldRows - headRows,
  });
  const none = say(tools ? 'No tools yet. Servers bring them.' : 'Loading…', 'faint');
  return { list, below: stack(gap('below field'), items.length === 0 ? none : listTable(list, toolColumns(width))) };
}

function toolColumns(width: number): readonly TableColumn<SurveyedTool>[] {
  const isWide = width >= 120;
  return [
    { title: 'Tool', ...(isWide && { width: 40 }), cell: ({ toolKey }) => toolKey },
    { title: 'For agents', width: 14, cell: toolStateInWords, tone: ({ absence }) => absenceTone(absence) },
    { title: 'Calls', width: 6, isNumber: true, cell: ({ callCount }) => `${callCount}` },
    { title: 'Success', width: 7, isNumber: true, cell: ({ successRate }) => percent(successRate) },
    { title: 'p50', width: 7, isNumber: true, cell: ({ p50Ms }) => duration(p50Ms) },
    { title: 'p95', width: 7, isNumber: true, cell: ({ p95Ms }) => duration(p95Ms) },
    ...(isWide ? [{ title: 'Description', cell: ({ description }: SurveyedTool) => description }] : []),
  ];
}

export function absenceTone(absence: SurveyedTool['absence']): TextTone {
  if (absence === null) return 'good';
  return absence === 'withheld' || absence === 'on-hold' || absence === 'failing' ? 'notice' : 'faint';
}

interface FoundTool {
  readonly toolKey: string;
  readonly relevance: number;
  readonly why: string;
  readonly about: string;
  readonly isOffered: boolean;
}

function useFoundTools(asked: string): ToolList {
  const { rows, columns: width } = useTui();
  const { data, error } = useAnswer('search.explain', asked === '' ? null : { query: asked, limit: mostHits }, [
    'tools',
  ]);
  const items = data ? foundIn(data) : [];
  const list = useList({
    ...{ name: `found ${asked}`, items, idOf: ({ toolKey }: FoundTool) => toolKey },
    rows: rows - fieldRows - headRows - aboutRows,
  });
  const notice = error === undefined ? gap('below field') : say(troubleInWords(error), 'bad');
  return {
    list,
    below: stack(
      data ? say(saysOf(data), data.isSure ? 'faint' : 'notice') : notice,
      items.length === 0 ? null : listTable(list, foundColumns(width)),
      list.selected ? stack(gap('above'), paragraph(list.selected.about, aboutRows - 1)) : null,
    ),
  };
}

function foundIn({ hits, leftOut }: SearchExplanation): readonly FoundTool[] {
  return [
    ...hits.map(({ toolKey, relevance, parts, description, reason, isOffered }) => ({
      ...{ toolKey, relevance, isOffered, why: saySegments(segmentsOf(parts)) },
      about: [description, reason].filter(Boolean).join('\n'),
    })),
    ...leftOut
      .filter(({ relevance }) => relevance >= leastMissed)
      .map(({ toolKey, relevance, why }) => ({
        ...{ toolKey, relevance, isOffered: false, why: `left out: ${leftOutWords[why]}` },
        about: `Agents with other rights would find it here. ${leftOutWords[why]}`,
      })),
  ];
}

function saysOf({ mode, notice, isSure, hits, as }: SearchExplanation): string {
  if (mode === null) return 'Discovery is switched off.';
  if (notice !== null) return notice;
  if (hits.length === 0) return 'No tool matches.';
  if (isSure) return `Found by ${mode} among ${as.tools} of ${as.allTools} tools.`;
  return hits.some(({ isOffered }) => isOffered)
    ? 'None of these is a likely match. Agents get a notice that says so.'
    : 'No tool matches well enough. Agents get only the names of the nearest.';
}

/** Columns of the bar of a relevance. */
const barColumns = 5;

function foundColumns(width: number): readonly TableColumn<FoundTool>[] {
  return [
    { title: 'Tool', width: Math.floor(width * 0.4), cell: ({ toolKey }) => toolKey },
    {
      ...{ title: 'Relevance', width: barColumns + 6 },
      cell: ({ relevance }) => `${bar(relevance, barColumns)} ${percent(relevance)}`,
      tone: ({ isOffered }) => (isOffered ? 'good' : 'faint'),
    },
    { title: 'Why', cell: ({ why }) => why, tone: () => 'faint' },
  ];
}
