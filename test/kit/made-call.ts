/** A call as the pipeline gets it, for tests of single stages. */

import { type AgentSide, type Call, RequestTrace } from '../../src/caller/call.ts';

export function madeAgent(parts: Partial<AgentSide> = {}): AgentSide {
  return {
    era: 'modern',
    capabilities: {},
    session: 'session-1',
    signal: new AbortController().signal,
    notify() {},
    trace: new RequestTrace(),
    ...parts,
  };
}

export function madeCall(parts: Partial<Call> = {}): Call {
  return {
    principal: { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' },
    server: 'files',
    tool: 'read',
    key: 'files:read',
    definition: { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    fingerprint: 'f1',
    permission: 'allow',
    isRenewed: false,
    standing: () => ({ permission: 'allow', hold: undefined, definition: {}, fingerprint: 'f1', identity: 'f1' }),
    params: { name: 'read', arguments: { path: 'a' } },
    timeoutMs: 1_000,
    agent: madeAgent(),
    way: 'execute',
    reader: 'search',
    cacheTtlMs: 0,
    serverIdentity: 'program',
    isPerSession: false,
    maxResultBytes: 20_000,
    keepsStructured: false,
    query: null,
    advisor: null,
    ...parts,
  };
}

export function saying(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { content: [{ type: 'text', text }], ...more };
}
