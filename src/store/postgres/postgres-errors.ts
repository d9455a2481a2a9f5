/** The meaning of PostgreSQL's errors: what passes by itself, and what the owner has to fix. */

import { GatewayError, messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';

/** Classes of SQLSTATE that say that there is no connection, or none for us now. */
const lostClasses = ['08', '53', '57'];
/** Two transactions that waited for each other, and a state that changed meanwhile: the next try sees another one. */
const passingCodes = ['40001', '40P01'];

function codeOf(error: unknown): string | undefined {
  return isObject(error) && typeof error.code === 'string' ? error.code : undefined;
}

/** Nothing was done, and doing it again may go well. */
export function isMetByOther(error: unknown): boolean {
  return passingCodes.includes(codeOf(error) ?? '');
}

/** An answer of the database has a severity; an error of the system has a call that failed; the driver has neither. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof GatewayError) return false;
  if ('severity' in error) return lostClasses.includes((codeOf(error) ?? '').slice(0, 2));
  return 'syscall' in error || /connection|timeout|not queryable/i.test(error.message);
}

/** The number of a transaction that lies in the future of this database. */
export function isUnknownTransaction(error: unknown): boolean {
  return codeOf(error) === '22023';
}

/** Somebody else has had a lock for too long. */
const lockedCode = '55P03';

/** Read-only: a stand-by that has not taken over yet, or a disk that ran full. */
const readOnlyCode = '25006';

/** `place`: the database without its password. */
export function postgresTrouble(error: unknown, place: string): unknown {
  if (error instanceof GatewayError) return error;
  const options = { cause: error, data: { store: place } };
  if (codeOf(error) === readOnlyCode)
    return new GatewayError('STORE_BROKEN', `The store ${place} cannot be written: it is read-only.`, {
      ...options,
      hint: 'Connect Toolcrib to the database that takes writes; it recovers by itself once this one does.',
    });
  if (codeOf(error) === lockedCode)
    return new GatewayError('STORE_BUSY', `The store ${place} is locked by another gateway.`, options);
  if (!isOutOfReach(error)) return error;
  return new GatewayError('STORE_BROKEN', `The store ${place} cannot be reached (${messageOf(error)}).`, {
    ...options,
    hint: 'Check that the database runs and lets Toolcrib in; Toolcrib recovers by itself once it answers.',
  });
}
