/** More than fits on the screen, moved through by keys line by line and page by page. */

import { Box, type DOMElement, useBoxMetrics } from 'ink';
import { createElement as h, type ReactElement, type ReactNode, useRef } from 'react';
import type { KeyCommand } from '../screen.ts';
import { useRemembered } from '../state.ts';
import { stack } from './layout.ts';
import { movement } from './list.ts';
import { say } from './text.ts';

interface ScrollOptions {
  /** Under which the place is remembered. */
  readonly name: string;
  /** Lines that it may take. */
  readonly rows: number;
  /** As long as it needs to be. */
  readonly content: ReactNode;
}

interface Scroll {
  readonly commands: readonly KeyCommand[];
  readonly body: ReactElement;
  /** True after the last line was on the screen. */
  readonly isWholeSeen: boolean;
}

interface ScrollPlace {
  readonly at: number;
  /** Lines from the beginning that were on the screen. */
  readonly seen: number;
}

export function useScroll({ name, rows, content }: ScrollOptions): Scroll {
  const box = useRef<DOMElement>(null);
  const { height, hasMeasured } = useBoxMetrics(box);
  const [place, setPlace] = useRemembered<ScrollPlace>(`scroll ${name}`, { at: 0, seen: 0 });
  // The last line says where we are.
  const room = height > rows ? Math.max(1, rows - 1) : rows;
  // A key may come before the length is known.
  const last = hasMeasured ? Math.max(0, height - room) : Number.POSITIVE_INFINITY;
  const at = hasMeasured ? Math.min(place.at, last) : 0;
  const seen = Math.max(place.seen, at + room);
  const move = (to: (from: number) => number) =>
    setPlace(({ at: from }) => ({ at: Math.max(0, Math.min(to(Math.min(from, last)), last)), seen }));
  const isLong = height > room;
  return {
    commands: movement(move, Math.max(1, room - 1), last),
    isWholeSeen: hasMeasured && seen >= height,
    body: stack(
      h(
        Box,
        { key: 'content', height: room, overflow: 'hidden', contentOffsetY: at },
        h(Box, { ref: box, flexDirection: 'column', flexShrink: 0, width: '100%', alignSelf: 'flex-start' }, content),
      ),
      isLong ? say(`  Lines ${at + 1}–${Math.min(height, at + room)} of ${height}`, 'faint') : null,
    ),
  };
}
