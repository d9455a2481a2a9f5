/** `list_mcp_servers`: the servers that are there, how they are and what they offer. */

import { z } from 'zod';
import {
  answer,
  fitRows,
  meaningsOf,
  readToolArguments,
  roomBeside,
  summariseServer,
  visibleServers,
} from '../tools/tools.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';

export const listMcpServers: MetaTool<'catalog' | 'registry' | 'downstream' | 'store' | 'config'> = {
  name: 'list_mcp_servers',
  kind: 'find',
  auditedAs: 'discovery',
  define: () => ({
    name: 'list_mcp_servers',
    description: 'All servers with state, counts of what they offer, and last change.',
    inputSchema: { type: 'object', properties: {} },
    annotations: readOnly,
  }),
  async run({ layers, principal, args }) {
    readToolArguments('list_mcp_servers', z.strictObject({}), args);
    const servers = visibleServers(layers.catalog.snapshot, principal);
    const rows = await Promise.all(servers.map((server) => summariseServer(layers, principal, server)));
    const brief = rows.map(({ name, state, toolCount }) => ({ name, state, toolCount }));
    const others = { serverCount: rows.length, states: meaningsOf(rows) };
    const { rows: fitting, wholeCount } = fitRows([rows, brief], roomBeside(layers, others));
    const notice = `Only ${wholeCount} of ${rows.length} servers are shown in full.`;
    return answer({ servers: fitting, ...others, ...(wholeCount < rows.length && { notice }) });
  },
};
