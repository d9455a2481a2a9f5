/** Callers without a valid credential, in the many ways in which one can be invalid. */

import { makeToken, order } from './owner.ts';
import type { Setup } from './setup.ts';

export interface Stranger {
  readonly who: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Behind every path. */
  readonly query?: string;
  /** As the body. */
  readonly text?: string;
  /** Tried everywhere, also where only a few are. */
  readonly isPlain?: boolean;
}

/** Headers by which a front end would vouch for somebody, which nobody here is trusted to be. */
export function trustMe(project: string): readonly (readonly [string, string])[] {
  return [
    ['X-Forwarded-User', 'owner'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Host', 'localhost'],
    ['X-Real-IP', '127.0.0.1'],
    ['X-Original-URL', '/healthz'],
    ['X-Rewrite-URL', '/healthz'],
    ['X-HTTP-Method-Override', 'GET'],
    ['X-Remote-User', 'owner'],
    ['X-Auth-Request-User', 'owner'],
    ['X-Internal', 'true'],
    ['X-Toolcrib-Bridge', 'stdio'],
    ['X-Toolcrib-Project', project],
    ['X-Toolcrib-Principal', 'owner'],
    ['Forwarded', 'for=127.0.0.1;proto=https;host=localhost'],
    ['Via', '1.1 localhost'],
  ];
}

/** Good tokens of this gateway in the wrong place are among them; tokens that were good are made and revoked for it. */
export async function strangers(setup: Setup): Promise<readonly Stranger[]> {
  const { agentToken, ownerToken } = setup.gateway;
  const revoked = await revokedToken(setup);
  const wrong = `tc_${'A'.repeat(43)}`;
  const named = (...values: readonly string[]) => values.map((value) => ['Authorization', value] as const);
  const carried = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
    params: { _meta: { token: ownerToken, projectId: 'shop' } },
  });
  return [
    { who: 'nobody', headers: [], isPlain: true },
    { who: 'a wrong token', headers: named(`Bearer ${wrong}`), isPlain: true },
    { who: 'headers to be believed', headers: trustMe('shop'), isPlain: true },
    { who: 'headers to be believed, and a wrong token', headers: [...trustMe('shop'), ...named(`Bearer ${wrong}`)] },
    { who: 'a revoked token', headers: named(`Bearer ${revoked}`), isPlain: true },
    { who: 'a token in the message', headers: [], text: carried, isPlain: true },
    { who: 'a token in the message, as a bridge', headers: [['X-Toolcrib-Bridge', 'stdio']], text: carried },
    { who: 'a token in the address', headers: [], query: `?access_token=${ownerToken}` },
    {
      who: 'a token in the address, otherwise named',
      headers: [],
      query: `?token=${ownerToken}&api_key=${ownerToken}`,
    },
    { who: 'two tokens, the good one first', headers: named(`Bearer ${ownerToken}`, `Bearer ${wrong}`) },
    { who: 'two tokens, the good one last', headers: named(`Bearer ${wrong}`, `Bearer ${ownerToken}`) },
    { who: 'two good tokens in one header', headers: named(`Bearer ${ownerToken}, Bearer ${agentToken}`) },
    { who: 'a good token without its end', headers: named(`Bearer ${ownerToken.slice(0, -1)}`) },
    { who: 'a good token and more', headers: named(`Bearer ${ownerToken}A`) },
    { who: 'a good token in capitals', headers: named(`Bearer ${ownerToken.toUpperCase()}`) },
    { who: 'a good token with a percent', headers: named(`Bearer %74${ownerToken.slice(1)}`) },
    { who: 'a good token without a scheme', headers: named(ownerToken) },
    { who: 'a good token under Basic', headers: named(`Basic ${btoa(`owner:${ownerToken}`)}`) },
    { who: 'a good token under Token', headers: named(`Token ${ownerToken}`) },
    { who: 'a scheme and nothing', headers: named('Bearer', 'Bearer ') },
    { who: 'wildcards', headers: named('Bearer *') },
    { who: 'null', headers: named('Bearer null') },
    { who: 'a good token in other headers', headers: elsewhere(ownerToken) },
    { who: 'cookies', headers: cookies(setup, ownerToken) },
  ];
}

function elsewhere(token: string): Stranger['headers'] {
  const names = ['X-Api-Key', 'X-Auth-Token', 'X-Access-Token', 'Proxy-Authorization', 'X-Toolcrib-Token', 'Mcp-Token'];
  return names.map((name) => [name, name === 'Proxy-Authorization' ? `Bearer ${token}` : token]);
}

function cookies({ gateway }: Setup, token: string): Stranger['headers'] {
  const { port } = new URL(gateway.url);
  const guessed = [`toolcrib-${port}=${'A'.repeat(43)}`, `toolcrib-${port}=${token}`, `__Host-toolcrib=${token}`];
  return [['Cookie', [...guessed, `token=${token}`, 'session=owner'].join('; ')]];
}

async function revokedToken(setup: Setup): Promise<string> {
  const known = await order(setup, 'tokens.list', { ended: true });
  const name = known.some((token) => token.name === 'revoked') ? 'revoked-2' : 'revoked';
  const token = await makeToken(setup, name, { scopes: ['admin', 'use'] });
  await order(setup, 'tokens.revoke', { name });
  return token;
}

/** Paths that are not ours, and other spellings of paths that are. */
export const guessedPaths: readonly string[] = [
  ...['/admin', '/api', '/metrics', '/debug', '/debug/pprof/', '/status', '/config', '/sse', '/messages', '/message'],
  ...['/ws', '/rpc', '/v1/mcp', '/mcp/sse', '/mcp/messages', '/.env', '/.git/config', '/toolcrib.json', '/toolcrib.db'],
  ...[
    '/owner-token',
    '/agent-token',
    '/secret-key',
    '/favicon.ico',
    '/index.html',
    '/docs',
    '/openapi.json',
    '/health',
  ],
  ...['//mcp', '/mcp/', '/MCP', '/%6dcp', '/mcp%2f', '/mcp%00', '/mcp;x=1', '/mcp%3f', '/./mcp', '/x/../mcp', '\\mcp'],
  ...[
    '/healthz/',
    '/healthz/../mcp',
    '/healthz/..%2fmcp',
    '/healthz/../api/tokens/list',
    '/healthz;/../api/tokens/list',
  ],
  ...['/readyz/../gateway/mcp', '/oauth/callback/../../api/tokens/list', '/sign-in/../api/tokens/list', '/healthz%20'],
  ...['//api/tokens/list', '/api//tokens/list', '/api/tokens%2flist', '/API/tokens/list', '/api/./tokens/list'],
  ...['/api/__proto__', '/api/constructor', '/api/tokens.list/', '/api/tokens/list/x', '/api/..;/api/tokens/list'],
  ...['/servers//mcp', '/servers/../mcp', '/servers/%2e%2e/mcp', '/servers/local%2f..%2fother/mcp', '/servers/*/mcp'],
  ...['/projects//mcp', '/projects/%2a/mcp', '/projects/UNASSIGNED/mcp', '/projects/../gateway/mcp', '/s/*/mcp'],
  ...['http://127.0.0.1/mcp', 'http://localhost/api/tokens/list', 'http://evil.example/healthz', '*', '?/mcp'],
  ...['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/.well-known/mcp', '/jwks.json'],
  ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp', '/.well-known/agent.json'],
];
