/** Has what happens to approvals written down in the audit, with both fingerprints. */

import type { AuditBook } from '../audit/audit.ts';
import type { PinEvent } from '../store/store.ts';
import type { PinBook } from '../trust/trust.ts';

/** Who acts where nobody decided. */
const gateway = { id: 'gateway', name: 'gateway' };

/** Returns the function that stops it. */
export function auditPins(pins: PinBook, audit: Pick<AuditBook, 'record'>): () => void {
  return pins.told.on(({ server, kind, name, act, before, after, grade, reasons, by }: PinEvent) => {
    void audit.record({
      kind: 'administration',
      action: `definition.${act}`,
      principal: by === null ? gateway : { id: by, name: by },
      // A listing may begin while somebody is served, and is nobody's request all the same.
      requestId: by === null ? null : undefined,
      server,
      tool: kind === 'tool' ? name : null,
      outcome: act === 'changed' || act === 'held' ? 'refused' : 'ok',
      // Where the reasons are found may hold names that the server chose; their codes do not.
      detail: { kind, name, before, after, grade, reasons: [...new Set(reasons.map(({ code }) => code))] },
    });
  });
}
