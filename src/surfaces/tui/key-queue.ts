/**
 * Keys, one at a time: each acts on what is drawn after the one before it. Keys that arrive together, over a slow link or typed
 * ahead, would else act on the row that was chosen before them.
 */

import { useInput, usePaste } from 'ink';
import { createContext, useContext, useEffect, useEffectEvent, useRef, useState } from 'react';
import { keysOf, pastedKey } from './keys.ts';

export interface PressedKey {
  readonly key: string;
}

export const KeyContext = createContext<PressedKey | undefined>(undefined);

/** The key that is to be acted on now. Call it once, above everything that uses `useKeys`. */
export function useKeyQueue(): PressedKey | undefined {
  const waiting = useRef<string[]>([]).current;
  const isBusy = useRef(false);
  const [pressed, press] = useState<PressedKey>();
  const take = (keys: readonly string[]) => {
    waiting.push(...keys);
    if (isBusy.current) return;
    const key = waiting.shift();
    isBusy.current = key !== undefined;
    if (key !== undefined) press({ key });
  };
  useInput((input, given) => take(keysOf(input, given)));
  usePaste((text) => take([pastedKey(text)]));
  // Runs after those of the components below: the next key is drawn together with all that they changed.
  useEffect(() => {
    const key = waiting.shift();
    if (key !== undefined) press({ key });
    else if (pressed !== undefined) press(undefined);
    else isBusy.current = false;
  }, [pressed, waiting]);
  return pressed;
}

/** Told of each key; every component that asks is told. */
export function useKeys(onKey: (key: string) => void): void {
  const pressed = useContext(KeyContext);
  const act = useEffectEvent(onKey);
  useEffect(() => {
    if (pressed !== undefined) act(pressed.key);
  }, [pressed]);
}
