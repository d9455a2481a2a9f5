/** Help on the program as a whole: every command by section, or, for a line without words, the first steps alone. */

import { Help } from 'commander';
import { version } from '../../base/own-program.ts';
import { flagSyntax, flagText } from './build-program.ts';
import { isOffered, shortWordFor } from './command.ts';
import { type CommandSection, commandSections, firstSteps } from './commands.ts';
import { groups } from './groups.ts';
import { sharedFlags } from './shared-flags.ts';
import type { Style } from './style.ts';

const purpose = 'An MCP gateway: agents connect once, find the right tool by asking, and call it safely.';

export interface OverviewOptions {
  readonly width: number;
  readonly style: Style;
}

/** All commands and the flags that each of them takes. */
export function overview(options: OverviewOptions): string {
  const flags = Object.entries(sharedFlags).map(([name, flag]): Row => [flagSyntax(name, flag), flagText(flag)]);
  const own: Row[] = [
    ['-h, --help', 'Print help'],
    ['-V, --version', 'Print the version'],
  ];
  const lists = [...commandSections.map(listOf), { title: 'Options of every command', rows: [...flags, ...own] }];
  return [
    'Usage: toolcrib COMMAND [options]',
    purpose,
    ...renderLists(lists, options),
    'Help on one command: toolcrib help COMMAND',
  ].join('\n\n');
}

/** A few lines for somebody who has typed the name of the program and nothing else. */
export function shortOverview(options: OverviewOptions): string {
  return [
    `Toolcrib ${version}. ${purpose}`,
    ...renderLists([listOf(firstSteps)], options),
    'All commands: toolcrib help\nOne command:  toolcrib help COMMAND',
  ].join('\n\n');
}

type Row = readonly [term: string, text: string];

interface TitledList {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Commands of two words share one row. */
function listOf({ title, commands }: CommandSection): TitledList {
  const rows = new Map<string, Row>();
  for (const { name, summary } of commands.filter(isOffered)) {
    const [first = '', second] = name.split(' ');
    const short = shortWordFor(first);
    const term = short === undefined ? first : `${first}, ${short}`;
    if (!rows.has(first)) rows.set(first, [term, second === undefined ? summary : (groups[first] ?? '')]);
  }
  return { title, rows: [...rows.values()] };
}

function renderLists(lists: readonly TitledList[], { width, style }: OverviewOptions): string[] {
  const help = new Help();
  help.prepareContext({ helpWidth: width });
  const room = Math.max(...lists.flatMap(({ rows }) => rows.map(([term]) => term.length)));
  return lists.map(({ title, rows }) =>
    [style.strong(`${title}:`), ...rows.map(([term, text]) => help.formatItem(term, room, text, help))].join('\n'),
  );
}
