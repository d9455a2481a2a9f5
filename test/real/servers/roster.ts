/** Fourteen published servers of different kinds, each with one harmless call and what must come of it without a network. */

import { join } from 'node:path';
import type { Packages } from '../kit/packages.ts';
import { offline, type Scratch } from '../kit/scratch.ts';

export interface RealServer {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly era: 'legacy' | 'modern';
  /** Those that are there at first sight. */
  readonly tools: number;
  /** Definitions that are withheld wrongly until their owner has looked at them. */
  readonly held?: number;
  /** Lines on stdout that are no messages. */
  readonly junk?: number;
  readonly call: RealCall;
}

export interface RealCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string | RegExp;
  /** The tool needs a network, so that here it must fail, and say why. */
  readonly fails?: true;
}

/** The folders are made by `prepareFolders` of the program. */
export function roster({ home, folder }: Scratch): RealServer[] {
  return [...references(home, folder), ...oddities(home), ...needy()];
}

/** The reference servers of the protocol's own project. */
function references(home: string, folder: string): RealServer[] {
  const of = { version: '2026.8.31', era: 'legacy' } as const;
  return [
    {
      ...of,
      name: 'everything',
      package: '@modelcontextprotocol/server-everything',
      tools: 17,
      call: { tool: 'echo', args: { message: 'quince' }, text: 'Echo: quince' },
    },
    {
      ...of,
      name: 'files',
      package: '@modelcontextprotocol/server-filesystem',
      args: [home],
      tools: 14,
      call: { tool: 'read_text_file', args: { path: join(home, 'greeting.txt') }, text: 'Good morning.' },
    },
    {
      ...of,
      name: 'memory',
      package: '@modelcontextprotocol/server-memory',
      env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
      tools: 9,
      call: { tool: 'read_graph', args: {}, text: '"entities": []' },
    },
    {
      ...of,
      name: 'thinking',
      package: '@modelcontextprotocol/server-sequential-thinking',
      tools: 1,
      call: {
        tool: 'sequentialthinking',
        args: { thought: 'Enough.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
        text: '"thoughtHistoryLength": 1',
      },
    },
  ];
}

/** Other people's servers that work alone: some print on stdout, one is of the new era, one is small, one is not. */
function oddities(home: string): RealServer[] {
  return [
    {
      name: 'commands',
      package: '@agent-infra/mcp-server-commands',
      version: '1.2.18',
      era: 'legacy',
      tools: 2,
      junk: 1,
      call: { tool: 'run_command', args: { command: 'echo elderberry' }, text: 'elderberry' },
    },
    {
      name: 'calculator',
      package: '@wrtnlabs/calculator-mcp',
      version: '0.2.1',
      era: 'legacy',
      tools: 6,
      junk: 1,
      call: { tool: 'add', args: { a: 40, b: 2 }, text: '42' },
    },
    {
      name: 'time',
      package: 'time-mcp',
      version: '1.0.6',
      era: 'legacy',
      tools: 6,
      junk: 1,
      call: { tool: 'days_in_month', args: { date: '2028-02-10' }, text: '29' },
    },
    {
      name: 'dbhub',
      package: '@bytebase/dbhub',
      version: '1.4.0',
      args: ['--transport', 'stdio', '--demo'],
      era: 'modern',
      tools: 2,
      call: { tool: 'execute_sql', args: { sql: 'select count(*) as people from employee' }, text: '"people": 1000' },
    },
    {
      name: 'git',
      package: '@cyanheads/git-mcp-server',
      version: '2.15.3',
      era: 'legacy',
      tools: 28,
      call: { tool: 'git_init', args: { path: join(home, 'repository') }, text: '"success": true' },
    },
    {
      name: 'tasks',
      package: '@kazuph/mcp-taskmanager',
      version: '1.1.1',
      era: 'legacy',
      tools: 10,
      call: { tool: 'list_requests', args: {}, text: 'requests_listed' },
    },
  ];
}

/** Servers that list their tools without a network and can do little else. */
function needy(): RealServer[] {
  return [
    {
      name: 'ms365',
      package: '@softeria/ms-365-mcp-server',
      version: '0.155.0',
      era: 'legacy',
      tools: 186,
      held: 2,
      call: { tool: 'list-accounts', args: {}, text: '"count":0' },
    },
    {
      name: 'context7',
      package: '@upstash/context7-mcp',
      version: '4.1.1',
      era: 'modern',
      tools: 2,
      call: { tool: 'resolve-library-id', args: { libraryName: 'react', query: 'hooks' }, text: 'fetch failed' },
    },
    {
      name: 'chart',
      package: '@antv/mcp-server-chart',
      version: '0.9.10',
      era: 'legacy',
      tools: 27,
      call: {
        tool: 'generate_pie_chart',
        args: { data: [{ category: 'plum', value: 1 }] },
        text: 'ECONNREFUSED',
        fails: true,
      },
    },
    {
      name: 'github',
      package: '@modelcontextprotocol/server-github',
      version: '2025.4.8',
      era: 'legacy',
      tools: 26,
      call: { tool: 'search_repositories', args: { query: 'toolcrib' }, text: 'fetch failed', fails: true },
    },
  ];
}

/** The server as a member of `mcpServers`. */
export async function entryOf(server: RealServer, packages: Packages): Promise<Record<string, unknown>> {
  const args = [await packages.script(server.package), ...(server.args ?? [])];
  return { command: process.execPath, args, env: { ...offline, ...server.env } };
}
