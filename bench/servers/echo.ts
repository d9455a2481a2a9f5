/** The answers of both echo servers: one tool that returns its text, in either era, with as little work as possible. */

export interface Incoming {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly arguments?: { readonly text?: string };
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const serverInfo = { name: 'echo', version: '1.0.0' };
const capabilities = { tools: {} };
const modernVersion = '2026-07-28';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';
/** The members that every modern result has. */
const whole = { resultType: 'complete' };
const cacheable = { ttlMs: 60_000, cacheScope: 'public' };

const tool = {
  name: 'echo',
  description: 'Gives back its text.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'What to give back.' } },
    required: ['text'],
  },
};

/** The line to send back; undefined for a notification. Only a server of both eras knows `server/discover`. */
export function answerOf(message: Incoming, eras: 'legacy' | 'both'): string | undefined {
  if (message.id === undefined) return undefined;
  const result = resultOf(message, eras);
  const error = { code: -32601, message: `Method not found: ${message.method}` };
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) });
}

function resultOf({ method, params }: Incoming, eras: 'legacy' | 'both'): Record<string, unknown> | undefined {
  const isModern = params?._meta?.[versionKey] !== undefined;
  if (method === 'tools/call') {
    const content = [{ type: 'text', text: params?.arguments?.text }];
    return isModern ? { ...whole, content } : { content };
  }
  if (method === 'tools/list') return isModern ? { ...whole, ...cacheable, tools: [tool] } : { tools: [tool] };
  if (method === 'initialize') return { protocolVersion: params?.protocolVersion, capabilities, serverInfo };
  if (method === 'ping') return {};
  if (method !== 'server/discover' || eras === 'legacy') return undefined;
  const _meta = { [serverInfoKey]: serverInfo };
  return { ...whole, ...cacheable, supportedVersions: [modernVersion], capabilities, _meta };
}
