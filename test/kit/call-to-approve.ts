/** A call that needs approval, for tests of approvals. */

import type { CallToApprove } from '../../src/access/access.ts';

export function callToApprove(parts: Partial<CallToApprove> = {}): CallToApprove {
  return {
    principal: { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' },
    session: 's1',
    isSessionReal: true,
    client: 'editor/1.0',
    requestId: '7',
    server: 'till',
    tool: 'pay',
    definition: 'd1',
    sent: 'hash-1',
    ...parts,
  };
}
