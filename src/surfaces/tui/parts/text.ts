/** Text on the screen. The one place that hands text to the terminal: whatever a server said, nothing of it steers the terminal. */

import { Box, Text } from 'ink';
import { createContext, createElement as h, type ReactElement, useContext } from 'react';
import { visible } from '../../../base/visible.ts';

export type TextTone = 'good' | 'bad' | 'notice' | 'strong' | 'faint' | 'chosen';

/** The abilities of the terminal. */
export interface Abilities {
  readonly hasColour: boolean;
  readonly hasUnicode: boolean;
}

export const AbilitiesContext = createContext<Abilities>({ hasColour: true, hasUnicode: true });

export function abilitiesOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Abilities {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  // The console of Linux has few characters beyond Latin ones, whatever its locale.
  const hasUnicode = env.TERM !== 'linux' && (platform === 'linux' ? /utf-?8/i.test(locale) : true);
  return { hasColour: !env.NO_COLOR, hasUnicode };
}

interface SayProps {
  readonly text: string;
  readonly tone?: TextTone | undefined;
  /** Flows over several lines and keeps line breaks; else it is cut at the end of its line. */
  readonly isProse?: boolean | undefined;
}

export function Say({ text, tone, isProse = false }: SayProps): ReactElement {
  const { hasColour, hasUnicode } = useContext(AbilitiesContext);
  const clean = visible(isProse ? text.replace(/\r\n?/g, '\n') : text.replace(/[\r\n\t]+/g, ' '));
  const look = looks(tone, hasColour);
  if (hasUnicode) return h(Text, { wrap: isProse ? 'wrap' : 'truncate-end', ...look }, clean);
  const plain = inAscii(clean);
  if (isProse) return h(Text, { wrap: 'wrap', ...look }, plain);
  // Ink marks the end of a line that is cut with a character that is not there.
  return h(Box, { height: 1, overflow: 'hidden' }, h(Text, { wrap: 'hard', ...look }, plain));
}

export function say(text: string, tone?: TextTone): ReactElement {
  return h(Say, { text, tone });
}

/** A text whose parts look different, flowing over several lines. */
export function SayParts({ parts }: { readonly parts: readonly Pick<SayProps, 'text' | 'tone'>[] }): ReactElement {
  return h(Text, { wrap: 'wrap' }, ...parts.map((part, at) => h(Say, { key: at, ...part, isProse: true })));
}

function looks(tone: TextTone | undefined, hasColour: boolean) {
  if (tone === 'strong') return { bold: true };
  if (tone === 'faint') return { dimColor: true };
  if (tone === 'chosen') return { bold: true, inverse: true };
  return tone !== undefined && hasColour ? { color: colours[tone] } : {};
}

const colours = { good: 'green', bad: 'red', notice: 'yellow' } as const;

const plainer: Readonly<Record<string, string>> = {
  ...{ '●': '*', '○': 'o', '✓': '+', '✗': 'x', '…': '...', '→': '->', '–': '-', '—': '-', '×': 'x', '·': '-' },
  ...{
    '█': '#',
    '░': '.',
    '│': '|',
    '─': '-',
    '›': '>',
    '↑': '^',
    '↓': 'v',
    '←': '<-',
    '•': '*',
    '−': '-',
    '∅': '0',
    '“': '"',
    '”': '"',
    '‘': "'",
    '’': "'",
  },
};

/** For a terminal whose locale has nothing else. */
export function inAscii(text: string): string {
  return text.replace(/[^\x00-\x7f]/gu, (character) => plainer[character] ?? '?');
}
