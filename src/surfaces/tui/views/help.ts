/** Help: every key that works everywhere, and how lists are moved through. */

import { keyInWords } from '../keys.ts';
import { facts, gap, stack } from '../parts/layout.ts';
import { useScroll } from '../parts/scroll.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useTui } from '../state.ts';
import { destinations } from '../views.ts';

export function useHelpView(): Screen {
  const ways = destinations.map(({ key, label }) => [keyInWords(key), label] as const);
  const { body, commands } = useScroll({
    ...{ name: 'help', rows: useTui().rows },
    content: stack(
      facts([
        ...ways,
        ['Ctrl-K', 'Everything that can be done here, found by typing'],
        ['Esc', 'Back'],
        ['q, Ctrl-C', 'Quit; a gateway that runs elsewhere goes on'],
      ]),
      gap('gap'),
      facts([
        ['↑ ↓ j k', 'Move'],
        ['PgUp PgDn', 'Page'],
        ['Home End', 'First, last'],
      ]),
      gap('last gap'),
      say('The last line shows what else can be done where you are.', 'faint'),
    ),
  });
  return { title: 'Help', commands, body };
}
