/** The frame around every view: a header, the view, a line for messages and one for keys. It gets every key first. */

import { Box } from 'ink';
import { Fragment, createElement as h, type ReactElement, useState } from 'react';
import type { LiveServer } from '../../admin/admin.ts';
import { definitionsToReview } from '../wording/wording.ts';
import { useKeys } from './key-queue.ts';
import { keyInWords } from './keys.ts';
import { Menu } from './menu.ts';
import { cells, inLine, uncut } from './parts/layout.ts';
import { say, type TextTone } from './parts/text.ts';
import type { KeyCommand, Screen } from './screen.ts';
import { useAnswer, useLivePart, useTui } from './state.ts';
import { addressKey, destinations, useScreen, type ViewAddress } from './views.ts';

/** Lines of the frame itself. */
export const frameRows = 4;

/** A smaller terminal shows nothing but that it is too small. Keys work all the same. */
const leastSize = { columns: 40, rows: 10 };

export interface Message {
  readonly text: string;
  /** The keys that answer it. */
  readonly keys?: string;
  readonly tone: TextTone;
}

interface FrameProps {
  readonly address: ViewAddress;
  readonly message: Message | undefined;
  readonly question: Message | undefined;
  /** True where the key answered a question. */
  readonly answer: (key: string) => boolean;
}

export function Frame(props: FrameProps): ReactElement {
  const { columns, rows } = useTui();
  const isShown = columns >= leastSize.columns && rows + frameRows >= leastSize.rows;
  return h(
    Box,
    { flexDirection: 'column', width: columns, height: isShown ? rows + frameRows : 1, overflow: 'hidden' },
    isShown ? h(Header) : say(`Too small (at least ${leastSize.columns} × ${leastSize.rows})`, 'notice'),
    h(ViewFrame, { ...props, key: addressKey(props.address), isShown }),
  );
}

/** Belongs to one address: it has a key of its own for each. */
function ViewFrame({ address, message, question, answer, isShown }: FrameProps & { readonly isShown: boolean }) {
  const { columns, rows, go, back, quit } = useTui();
  const screen: Screen = useScreen(address);
  const [hasMenu, setMenu] = useState(false);
  const everywhere: readonly KeyCommand[] = [
    ...destinations.map(({ key, label, address: to }) => ({ key, label, run: () => go(to), isQuiet: true })),
    { key: 'ctrl+k', label: 'Menu', run: () => setMenu(true) },
    { key: 'esc', label: 'Back', run: back, isQuiet: true },
    { key: 'q', label: 'Quit', run: quit },
    { key: 'ctrl+c', label: 'Quit', run: quit, isQuiet: true },
  ];
  const commands = [...screen.commands, ...everywhere];
  useKeys((key) => {
    if (key === 'ctrl+c') return quit();
    if (answer(key) || hasMenu || screen.onKey?.(key)) return;
    commands.find((command) => command.key === key)?.run();
  });
  if (!isShown) return null;
  const shown = question ?? message;
  return h(
    Fragment,
    null,
    h(
      Box,
      { key: 'title', height: 1, columnGap: 1 },
      h(Box, { flexGrow: 1, width: 0 }, say(screen.title, 'strong')),
      h(Waiting),
    ),
    h(
      Box,
      { key: 'body', flexGrow: 1, height: rows, overflow: 'hidden', flexDirection: 'column' },
      // More lines than fit are cut, not pressed together.
      h(
        Box,
        { flexShrink: 0, flexDirection: 'column' },
        hasMenu ? h(Menu, { screen, everywhere, onClose: () => setMenu(false) }) : screen.body,
      ),
    ),
    h(Box, { key: 'message', height: 1 }, shown === undefined ? null : sayMessage(shown)),
    h(KeyLine, { key: 'keys', commands: hasMenu ? [] : commands, isTyping: screen.onKey !== undefined, columns }),
  );
}

function sayMessage({ text, keys, tone }: Message): ReactElement {
  return inLine(say(text, tone), keys === undefined ? null : uncut(say(keys, tone)));
}

const program = 'Toolcrib';
const connectionNotices = { live: '', lost: 'Reconnecting…', connecting: 'Connecting…' } as const;

/** As much of it as fits, without a part that is cut. */
function Header(): ReactElement {
  const { columns } = useTui();
  const notice = connectionNotices[useLivePart(({ connection }) => connection)];
  const servers = useLivePart(({ view }) => view?.servers);
  const status = useAnswer('gateway.status', {}, ['config']).data;
  const known = `Servers: ${servers?.size ?? '–'} | Port: ${status?.url ? new URL(status.url).port : '–'}`;
  const optimized = status?.isOptimizing === false ? ['off'] : sayOptimized([...(servers?.values() ?? [])]);
  const lines = optimized.map((said) => `${known} | Optimizations: ${said}`);
  const room = columns - `${program} `.length - (notice === '' ? 0 : ` ${notice}`.length);
  return inLine(
    uncut(say(program, 'strong')),
    say(lines.find((line) => line.length <= room) ?? known),
    notice === '' ? null : uncut(say(notice, 'notice')),
  );
}

/** `weather (3/5 tools), 2 more`, or for less room the number of tools alone. */
function sayOptimized(servers: readonly LiveServer[]): readonly string[] {
  const [first, ...others] = servers.filter(({ optimizedCount }) => optimizedCount > 0);
  if (first === undefined) return ['none'];
  const more = others.length === 0 ? '' : `, ${others.length} more`;
  const count = servers.reduce((sum, { optimizedCount }) => sum + optimizedCount, 0);
  return [`${first.name} (${first.optimizedCount}/${first.toolCount} tools)${more}`, `${count}`];
}

/** How many calls to approve and definitions to review there are. */
function Waiting(): ReactElement | null {
  const calls = useAnswer('approvals.list', {}, ['approvals']).data?.length ?? 0;
  const definitions = useLivePart(({ view }) =>
    [...(view?.servers.values() ?? [])].reduce((sum, server) => sum + definitionsToReview(server), 0),
  );
  const count = calls + definitions;
  return count === 0 ? null : uncut(say(`${count} ${count === 1 ? 'waits' : 'wait'}: v`, 'notice'));
}

interface KeyLineProps {
  readonly commands: readonly KeyCommand[];
  readonly isTyping: boolean;
  readonly columns: number;
}

const helpKey = { key: '?', label: 'Help', isQuiet: false };

/** The commands of the view, as many as fit; the keys that lead to all others come last and always fit. */
function KeyLine({ commands, isTyping, columns }: KeyLineProps): ReactElement {
  // While a text is typed, a letter is no command.
  const usable = isTyping ? commands.filter(({ key }) => key.length > 1) : [...commands, helpKey];
  const named = usable.flatMap(({ key, label, isQuiet }) => (isQuiet ? [] : [`${keyInWords(key)} ${label}`]));
  const others = isTyping ? -1 : -3;
  const always = named.slice(others).join('  ');
  const fitting: string[] = [];
  for (const item of named.slice(0, others)) {
    if ([...fitting, item, always].join('  ').length > columns) break;
    fitting.push(item);
  }
  return cells([
    { text: commands.length === 0 ? 'Enter Choose  Esc Close' : [...fitting, always].join('  '), tone: 'faint' },
  ]);
}
