/** Shared by the checks of the agent: the agent, its gateway, and the ways to reach it. */

import type { Checks } from '../kit/checks.ts';
import { type GatewayProcess, program } from '../kit/gateway-process.ts';
import type { Claude, McpEntry } from './claude.ts';

export const surfaces = ['direct', 'search', 'code', 'full'] as const;
export type Surface = (typeof surfaces)[number];

export const transports = ['HTTP', 'stdio'] as const;
export type Transport = (typeof transports)[number];

export interface Stage {
  readonly checks: Checks;
  readonly claude: Claude;
  readonly gateway: GatewayProcess;
}

/** How the agent's config names the gateway. */
export function entryFor({ gateway }: Stage, transport: Transport, surface: Surface): McpEntry {
  if (transport === 'stdio') return stdioEntry(gateway.dataDir, surface);
  const headers = { Authorization: `Bearer ${gateway.agentToken}` };
  return { type: 'http', url: `${gateway.url}/mcp?surface=${surface}`, headers };
}

export function stdioEntry(dataDir: string, surface: Surface): McpEntry {
  const env = { TOOLCRIB_DATA: dataDir, TOOLCRIB_SURFACE: surface };
  return { command: process.execPath, args: [program, 'stdio'], env };
}
