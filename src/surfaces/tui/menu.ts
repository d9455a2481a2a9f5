/** The command menu: everything that can be done here and everywhere, found by typing part of its name. */

import { type ReactElement, useState } from 'react';
import { useKeys } from './key-queue.ts';
import { editText, keyInWords, type TypedText } from './keys.ts';
import { cells, gap, inLine, stack } from './parts/layout.ts';
import { useList } from './parts/list.ts';
import { say } from './parts/text.ts';
import type { KeyCommand, Screen } from './screen.ts';
import { useTui } from './state.ts';

interface MenuProps {
  readonly screen: Screen;
  readonly everywhere: readonly KeyCommand[];
  readonly onClose: () => void;
}

interface MenuItem extends KeyCommand {
  readonly group: string;
}

export function Menu({ screen, everywhere, onClose }: MenuProps): ReactElement {
  const { rows } = useTui();
  const [typed, setTyped] = useState<TypedText>({ text: '', at: 0 });
  const items = menuItems(screen, everywhere).filter((item) => isFound(item, typed.text));
  const list = useList({ name: 'menu', items, idOf: ({ group, key }) => `${group} ${key}`, rows: rows - 2 });
  useKeys((key) => {
    if (key === 'esc' || key === 'ctrl+k') return onClose();
    if (key === 'enter') {
      onClose();
      return list.selected?.run();
    }
    const moved = list.commands.find((command) => command.key === key && key.length > 1);
    if (moved) return moved.run();
    setTyped((last) => editText(last, key) ?? last);
  });
  return stack(
    inLine(say('Do:', 'faint'), say(`${typed.text}█`)),
    gap('gap'),
    items.length === 0 ? say('No matches.', 'faint') : null,
    list.show(({ group, label, key }, isSelected) =>
      cells(
        [
          { text: label, width: 34 },
          { text: keyInWords(key), width: 8, tone: 'faint' },
          { text: group, tone: 'faint' },
        ],
        isSelected,
      ),
    ),
  );
}

/** Moving about is left out: nobody looks for it here. */
function menuItems({ title, commands }: Screen, everywhere: readonly KeyCommand[]): readonly MenuItem[] {
  const here = commands.filter(({ isQuiet }) => !isQuiet).map((command) => ({ ...command, group: title }));
  const others = everywhere.filter(({ key }) => key !== 'ctrl+k' && key !== 'ctrl+c' && key !== 'esc');
  return [...here, ...others.map((command) => ({ ...command, group: 'Everywhere' }))];
}

/** Each word that was typed is somewhere in it. */
function isFound({ label, group }: MenuItem, typed: string): boolean {
  const text = `${label} ${group}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
