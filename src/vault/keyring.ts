/** The keyring of the operating system, where there is one that keeps what it is given and answers in time. */

import { abortable, type Clock } from '../base/clock.ts';
import { limits } from '../config/config.ts';

/** Keys by name, in the keyring of the system. Every act rejects where the keyring is locked, denied, missing or silent. */
export interface Keyring {
  read(name: string): Promise<string | null>;
  write(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

const application = 'toolcrib';
/** The kernel's own keyring forgets everything at the next start of the machine, so that only the lasting one counts. */
const lasting = { linux: { store: 'secret-service' } } as const;

interface Entry {
  getPassword(signal: AbortSignal): Promise<string | null>;
  setPassword(value: string, signal: AbortSignal): Promise<void>;
  deletePassword(signal: AbortSignal): Promise<boolean>;
}

export function systemKeyring(clock: Clock, entryFor: (name: string) => Promise<Entry> = loadEntry): Keyring {
  return {
    read: (name) => within(clock, async (signal) => (await entryFor(name)).getPassword(signal)),
    write: (name, value) => within(clock, async (signal) => (await entryFor(name)).setPassword(value, signal)),
    remove: (name) =>
      within(clock, async (signal) => {
        await (await entryFor(name)).deletePassword(signal);
      }),
  };
}

/** The package is optional and brings native code: it is loaded when it is first used, and may be missing. */
async function loadEntry(name: string): Promise<Entry> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry(application, name, lasting);
}

/** A keyring may wait for a person to unlock it, for ever. */
async function within<T>(clock: Clock, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(limits.keyringTimeoutMs, () => late.abort(new Error('the keyring did not answer in time')));
  try {
    return await abortable(act(late.signal), late.signal);
  } finally {
    timer.cancel();
  }
}
