/** The advisory locks of the store: held by a transaction, and free when its connection is gone. */

/** `write`: changes of records. `append`: shared by those who add calls. `sums`: roll-ups and forgetting. `replicas`: who is there, and does what. `results`: large results. */
const locks = { write: 1, append: 2, sums: 3, replicas: 4, results: 5 } as const;

/** As part of a select. Gateways with another schema have locks of their own. */
export function lockOf(lock: keyof typeof locks, mode: 'exclusive' | 'shared'): string {
  const take = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  return `${take}(hashtext('toolcrib ' || current_schema()), ${locks[lock]})`;
}
