/** An event of the audit as tests make it up. */

import type { AuditRecord } from '../../src/store/store.ts';

export function madeUpEvent(more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    at: Date.UTC(2026, 0, 1),
    kind: 'execution',
    action: 'tools.call',
    principal: 'agent',
    principalName: 'agent',
    client: 'made-up/1.0',
    requestId: 'r1',
    rpcId: '1',
    trace: 't1',
    project: 'shop',
    session: 'abc',
    server: 's',
    tool: 'a',
    outcome: 'ok',
    errorType: null,
    ms: 10,
    argumentsHash: 'f'.repeat(64),
    arguments: null,
    detail: null,
    ...more,
  };
}
