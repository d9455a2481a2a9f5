/** A call that needs approval, for tests of approvals. */

import type { CallToApprove } from '../../src/access/access.ts';
import type { ApprovalNoteStore } from '../../src/store/store.ts';

/** Of a store that no other gateway uses: nobody asks for them. */
export const noNotes: ApprovalNoteStore = {
  listApprovalNotes: async () => [],
  changeApprovals: async () => true,
  removeEndedNotes: async () => 0,
};

export function callToApprove(parts: Partial<CallToApprove> = {}): CallToApprove {
  return {
    principal: { id: 'agent', name: 'agent' },
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
