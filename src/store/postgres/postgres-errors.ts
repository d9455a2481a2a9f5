/** The meaning of PostgreSQL's errors: what passes by itself, and what the owner has to fix. */

import { GatewayError, messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';

/** Classes of SQLSTATE that say that there is no connection, or none for us now. */
const lostClasses = ['08', '53', '57'];
/** The database ended a connection whose transaction did nothing for too long. */
const idleTooLongCode = '25P03';
/** Wrong values, broken constraints and too much at once: the row itself is bad, and every other try would fail as well. */
const badRowClasses = ['22', '23', '54'];
/** Two transactions that waited for each other, and a state that changed meanwhile: the next try sees another one. */
const passingCodes = ['40001', '40P01'];

function codeOf(error: unknown): string | undefined {
  return isObject(error) && typeof error.code === 'string' ? error.code : undefined;
}

function classOf(error: unknown): string {
  return (codeOf(error) ?? '').slice(0, 2);
}

/** Nothing was done, and doing it again may go well. */
export function isMetByOther(error: unknown): boolean {
  return passingCodes.includes(codeOf(error) ?? '');
}

/** An answer of the database has a severity; an error of the system has a call that failed; the driver has neither. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof GatewayError) return false;
  // A host with several addresses: one error for each that was tried.
  if (error instanceof AggregateError) return error.errors.some(isOutOfReach);
  if ('severity' in error) return codeOf(error) === idleTooLongCode || lostClasses.includes(classOf(error));
  return 'syscall' in error || /connection|timeout|not queryable/i.test(error.message);
}

/** The number of a transaction that lies in the future of this database. */
export function isUnknownTransaction(error: unknown): boolean {
  return codeOf(error) === '22023';
}

/** Somebody else has had a lock for too long. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Read-only: a stand-by that has not taken over yet, or a disk that ran full. */
const readOnlyCode = '25006';

/** Mistakes of a set-up, by SQLSTATE: the database answers, and does not let us in. */
const refusals: Readonly<Record<string, { readonly what: string; readonly hint: string }>> = {
  '3D000': {
    what: 'names a database that does not exist',
    hint: 'Create the database: createdb --owner=USER DATABASE',
  },
  '28000': {
    what: 'rejects this user',
    hint: 'Check the user in "store.url", and pg_hba.conf of the database.',
  },
  '28P01': { what: 'refuses the password', hint: 'Check the password in "store.url", or PGPASSWORD.' },
  '42501': {
    what: 'does not give this user enough rights',
    hint: 'Make the user the owner of the database: alter database DATABASE owner to USER',
  },
  '53100': {
    what: 'has no space left on its disk',
    hint: 'Free some space where PostgreSQL keeps its data; Toolcrib recovers by itself.',
  },
  '53300': {
    what: 'has no connection left',
    hint: 'Raise "max_connections" of PostgreSQL: each gateway takes up to 12.',
  },
};
const settingRefused = {
  what: 'refuses a setting of the connection',
  hint: 'Connect to PostgreSQL itself, or set in PgBouncer: pool_mode = session, and ignore_startup_parameters = lock_timeout,idle_in_transaction_session_timeout',
};
const noPassword = /client password must be a (?:non-empty )?string/;

/**
 * `place`: the database without its password. Bad rows and mistakes of this program stay as they are; all else may pass, because
 * a record that meets an error without a code is given up.
 */
export function postgresTrouble(error: unknown, place: string): unknown {
  if (error instanceof GatewayError) return error;
  const options = { cause: error, data: { store: place } };
  if (codeOf(error) === readOnlyCode)
    return new GatewayError('STORE_BROKEN', `The store ${place} cannot be written: it is read-only.`, {
      ...options,
      hint: 'Connect Toolcrib to the database that takes writes; it recovers by itself once this one does.',
    });
  if (isLocked(error) || isMetByOther(error))
    return new GatewayError('STORE_BUSY', `The store ${place} is locked by another gateway.`, {
      ...options,
      hint: 'Another gateway is writing or updating the tables. Try again in a moment.',
    });
  if (codeOf(error) === 'ERR_INVALID_URL')
    return new GatewayError('CONFIG_INVALID', `The address of the store, ${place}, is no URL of PostgreSQL.`, {
      ...options,
      hint: 'Write postgres://USER@HOST:PORT/DATABASE with one host, and special characters of the password as %XX.',
    });
  if (isNoPassword(error))
    return new GatewayError('STORE_BROKEN', `The store ${place} requires a password, and none is set.`, {
      ...options,
      hint: 'Set PGPASSWORD, or put the password into ~/.pgpass.',
    });
  const refusal = isSettingRefused(error) ? settingRefused : refusals[codeOf(error) ?? ''];
  if (refusal)
    return new GatewayError('STORE_BROKEN', `The store ${place} ${refusal.what} (${messageOf(error)}).`, {
      ...options,
      hint: refusal.hint,
    });
  if (isOurs(error)) return error;
  if (isObject(error) && 'severity' in error && !isOutOfReach(error))
    return new GatewayError('STORE_BROKEN', `The store ${place} answers with an error (${messageOf(error)}).`, {
      ...options,
      hint: 'Look into the log of PostgreSQL. A running gateway tries again by itself.',
    });
  return new GatewayError('STORE_BROKEN', `The store ${place} cannot be reached (${reasonOf(error)}).`, {
    ...options,
    hint: 'Check that the database runs and accepts connections from Toolcrib. A running gateway reconnects by itself; start a stopped one again.',
  });
}

/** Errors of the driver, of sockets and of TLS are plain ones; those of the language and of this program have classes of their own. */
function isOurs(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error instanceof AggregateError) return error.errors.every(isOurs);
  return 'severity' in error ? badRowClasses.includes(classOf(error)) : error.constructor !== Error;
}

/** Node gives an error for several addresses a code and no message. */
function reasonOf(error: unknown): string {
  return messageOf(error) || (codeOf(error) ?? 'no reason given');
}

/** PgBouncer's answer to settings that it does not pass on; others with its code say that the protocol was broken. */
function isSettingRefused(error: unknown): boolean {
  return codeOf(error) === '08P01' && messageOf(error).includes('unsupported startup parameter');
}

/** The driver's own words, which mean nothing to a user. */
function isNoPassword(error: unknown): boolean {
  return error instanceof Error && noPassword.test(error.message);
}
