/** The command palette (Ctrl-K): goes to a page, a view, a form, a server or a tool by typing part of its name. */

import { useState } from 'preact/hooks';
import { plural } from '../../../base/plural.ts';
import { pages } from '../pages.ts';
import { goTo, pageLink } from '../router.ts';
import { useLive, useOperation } from '../state.ts';
import { Dialog } from './dialog.tsx';
import { formatCount, visibleText } from './texts.tsx';

interface Command {
  readonly name: string;
  readonly kind: string;
  readonly parts: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** Other words by which it is found. */
  readonly also?: string;
}

const actions: readonly Command[] = [
  { name: 'Create a token', kind: 'Action', parts: ['access'], query: { create: 'token' } },
  { name: 'Add a server', kind: 'Action', parts: ['servers'], query: { add: '1' } },
  { name: 'Approve waiting calls', also: 'approvals', kind: 'Action', parts: ['review'], query: { tab: 'calls' } },
];

const mostShown = 12;

/** Screen readers find the hits, and the chosen one, by these. */
const listId = 'palette-hits';
const hitId = (at: number) => `palette-hit-${at}`;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const servers = useLive((view) => view.servers);
  const tools = useOperation('tools.list', {});
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const all: Command[] = [
    ...pages.map(({ path, title }) => ({ name: title, kind: 'Page', parts: [path] })),
    ...actions,
    ...pages.flatMap(({ path, title, tabs = {} }) =>
      Object.entries(tabs).map(([tab, name]) => ({
        name: `${title}: ${name}`,
        kind: 'View',
        parts: [path],
        query: { tab },
      })),
    ),
    ...[...servers.keys()].map((name) => ({ name, kind: 'Server', parts: ['servers', name] })),
    ...(tools.data ?? []).map(({ toolKey }) => ({ name: toolKey, kind: 'Tool', parts: ['tools', toolKey] })),
  ];
  const words = text.toLowerCase().split(/\s+/);
  const fits = ({ name, also = '' }: Command) => {
    const known = `${name} ${also}`.toLowerCase();
    return words.every((word) => known.includes(word));
  };
  const hits = all.filter(fits);
  const found = hits.slice(0, mostShown);
  const at = Math.min(chosen, Math.max(0, found.length - 1));
  const take = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    goTo(command.parts, command.query);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take(found[at]);
    else if (event.key === 'ArrowDown') setChosen(Math.min(found.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(0, at - 1));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? hitId(at) : undefined}
        aria-label="Page, action, server or tool"
        placeholder="Page, action, server or tool"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div class="palette" id={listId} role="listbox" aria-label="Hits">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input, which keeps the focus
          <div
            key={`${command.kind} ${pageLink(command.parts, command.query)}`}
            id={hitId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => take(command)}
          >
            {visibleText(command.name)} <small>{command.kind}</small>
          </div>
        ))}
      </div>
      <small role="status">{countOf(hits.length)}</small>
    </Dialog>
  );
}

function countOf(hitCount: number): string {
  if (hitCount === 0) return 'Nothing has this name.';
  return hitCount > mostShown ? `The first ${mostShown} of ${formatCount(hitCount)}` : plural(hitCount, 'hit');
}
