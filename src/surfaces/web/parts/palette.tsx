/** The command palette (Ctrl-K): goes to a page, a server or a tool by typing part of its name. */

import { useState } from 'preact/hooks';
import { pages } from '../pages.ts';
import { goTo } from '../router.ts';
import { useOperation, useView } from '../state.ts';
import { Dialog } from './dialog.tsx';
import { visibleText } from './texts.tsx';

interface Command {
  readonly name: string;
  readonly kind: string;
  readonly parts: readonly string[];
}

const mostShown = 12;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const view = useView();
  const tools = useOperation('tools.list', {});
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const all: Command[] = [
    ...pages.map(({ path, title }) => ({ name: title, kind: 'Page', parts: [path] })),
    ...[...view.servers.keys()].map((name) => ({ name, kind: 'Server', parts: ['servers', name] })),
    ...(tools.data ?? []).map(({ toolKey }) => ({ name: toolKey, kind: 'Tool', parts: ['tools', toolKey] })),
  ];
  const words = text.toLowerCase().split(/\s+/);
  const found = all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word))).slice(0, mostShown);
  const at = Math.min(chosen, Math.max(0, found.length - 1));
  const take = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    goTo(command.parts);
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
        type="search"
        aria-label="Page, server or tool"
        placeholder="Page, server or tool"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul class="palette">
        {found.map((command, index) => (
          <li key={command.parts.join('/')}>
            <button type="button" class={index === at ? 'plain chosen' : 'plain'} onClick={() => take(command)}>
              {visibleText(command.name)} <small>{command.kind}</small>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p>No page, server or tool matches.</p>}
    </Dialog>
  );
}
