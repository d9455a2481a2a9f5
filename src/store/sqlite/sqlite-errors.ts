/** The meaning of SQLite's error codes: busy is tried again, the rest of the list is trouble that an owner can mend, anything else is a bug. */

import { GatewayError, messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';

const busyCode = 5;
const lockedCode = 6;
const cannotOpenCode = 14;

/** Trouble by primary result code: what to say after "The store FILE" and what the owner can do. */
const troubles: Readonly<Record<number, { readonly what: string; readonly hint: string }>> = {
  8: { what: 'cannot be written: it is read-only', hint: 'Give Toolcrib the right to write the file and its folder.' },
  10: {
    what: 'could not be read or written',
    hint: 'Check the disk; Toolcrib recovers by itself once the file works again.',
  },
  13: { what: 'could not be written: the disk is full', hint: 'Free some space; Toolcrib recovers by itself.' },
  [cannotOpenCode]: {
    what: 'could not be opened',
    hint: 'Check that Toolcrib may read and write the file, its -wal and -shm files and its folder, and that the disk has space.',
  },
};

const damageCodes: readonly number[] = [11, 26];

/** SQLite's primary result code, or undefined for an error that is not SQLite's. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!isObject(error) || typeof error.errcode !== 'number') return undefined;
  // The upper bytes only say more about the same kind of error.
  return error.errcode & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === busyCode || code === lockedCode;
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && damageCodes.includes(code);
}

/** The error as trouble that names the file; what neither SQLite nor the system said, or is a bug of ours, stays as it is. */
export function toTrouble(error: unknown, file: string): unknown {
  const code = sqliteCodeOf(error) ?? (isSystemError(error) ? cannotOpenCode : undefined);
  if (code === undefined) return error;
  if (isDamage(error)) return brokenStore(file, `it is damaged (${messageOf(error)})`, error);
  const trouble = troubles[code];
  if (trouble === undefined) return error;
  return new GatewayError('STORE_BROKEN', `The store ${file} ${trouble.what} (${messageOf(error)}).`, {
    hint: trouble.hint,
    cause: error,
    data: { file },
  });
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** For a file that is there but must not be used. */
export function brokenStore(file: string, what: string, cause?: unknown): GatewayError {
  return new GatewayError('STORE_BROKEN', `The store ${file} cannot be used: ${what}.`, {
    hint: `Restore a backup of ${file}, or move it and its -wal and -shm files away to start with an empty store.`,
    cause,
    data: { file },
  });
}
