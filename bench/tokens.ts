/**
 * Counts what an agent has to read, in tokens (o200k): what it loads at the start, a search answer at each level of detail, a
 * small result through `tool_execute` beside the server's own, trouble, and the beginning of a large result. Everything is the
 * JSON that arrives, from a gateway with the demo servers.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createLog } from '../src/base/log.ts';
import { demoServers } from '../src/demo/demo.ts';
import { type Gateway, openGateway } from '../src/gateway.ts';

const usage = 'npm run bench:tokens -- [--json]';

interface TokenFigures {
  readonly what: string;
  readonly tokens: number;
  readonly bytes: number;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: { json: { type: 'boolean' } }, allowPositionals: true });
  if (positionals.length > 0) {
    console.error(`Usage: ${usage}`);
    return 2;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-tokens-'));
  const echo = fileURLToPath(new URL('./servers/stdio-echo.ts', import.meta.url));
  const gateway = await openGateway({
    dataDir,
    cwd: dataDir,
    env: process.env,
    log: createLog({ level: 'error', format: 'line', write: (line) => console.error(line), now: Date.now }),
    listen: { host: '127.0.0.1', port: 0, isAuthOff: false },
    extraServers: { ...demoServers(), echo: { command: process.execPath, args: [echo] } },
  });
  try {
    const figures = await measure(gateway);
    if (values.json) console.info(JSON.stringify(figures));
    else console.table(Object.fromEntries(figures.map(({ what, tokens, bytes }) => [what, { tokens, bytes }])));
    return 0;
  } finally {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(gateway: Gateway): Promise<TokenFigures[]> {
  const direct = agentAt(gateway, 'direct');
  const agent = agentAt(gateway, 'search');
  const all = await direct('tools/list', {});
  const execute = (toolKey: string, given: object) =>
    agent('tools/call', { name: 'tool_execute', arguments: { toolKey, arguments: given } });
  const discover = (detailLevel: string) =>
    agent('tools/call', { name: 'tool_discovery', arguments: { query: 'read a note', detailLevel } });
  const sum = { expression: '2 + 3' };
  const text = Array.from({ length: 50_000 }, (_, at) => `line ${at} of a long log`).join('\n');
  return [
    figure('tool list, search surface', (await agent('tools/list', {})).tools),
    figure('tool list, direct surface', all.tools),
    figure('search answer, minimal', textOf(await discover('minimal'))),
    figure('search answer, summary', textOf(await discover('summary'))),
    figure('search answer, full', textOf(await discover('full'))),
    figure('small result, direct', await direct('tools/call', { name: 'math.calculate', arguments: sum })),
    figure('small result, tool_execute', await execute('math:calculate', sum)),
    figure('trouble: wrong arguments', textOf(await execute('math:calculate', { expresion: '1' }))),
    figure('trouble: no such tool', textOf(await execute('math:calculat', sum))),
    figure('large result, what is shown', textOf(await execute('echo:echo', { text }))),
  ];
}

/** Requests of a modern agent at the agent door, and their results. */
function agentAt(gateway: Gateway, surface: string) {
  const version = '2026-07-28';
  const prefix = 'io.modelcontextprotocol/';
  const _meta = { [`${prefix}protocolVersion`]: version, [`${prefix}clientCapabilities`]: {} };
  return async (method: string, params: { name?: string; arguments?: object }): Promise<Record<string, unknown>> => {
    const response = await fetch(`${gateway.url}/mcp?surface=${surface}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.tokens.agent}`,
        'content-type': 'application/json',
        accept: 'application/json',
        'mcp-protocol-version': version,
        'mcp-method': method,
        ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    const answer = (await response.json()) as { result?: Record<string, unknown> };
    if (!answer.result) throw new Error(`${method} failed: ${JSON.stringify(answer)}`);
    return answer.result;
  };
}

function textOf(result: Record<string, unknown>): string {
  return (result.content as { text?: string }[]).map(({ text }) => text ?? '').join('\n');
}

function figure(what: string, value: unknown): TokenFigures {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { what, tokens: countTokens(text), bytes: Buffer.byteLength(text) };
}
