/** Calls that fail before they are sent: the advice never speaks of an effect that they cannot have had. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { connectAgent } from '../kit/agents.ts';
import { gatedCommand } from '../kit/gated-command.ts';
import { openListedGateway } from '../kit/gateway.ts';
import { planServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';

const kinds = ['v2 legacy', 'v2 modern'] as const;
/** The next start and its time limit: it never answers, or ends at once. */
const starts = {
  TIMEOUT: { deed: 'exec sleep 3600', timeoutMs: 200 },
  SERVER_DISCONNECTED: { deed: 'echo "no key" >&2; exit 3', timeoutMs: 29_000 },
};

test('[CALL-34] no error says that a call may have had an effect when it was never sent', async (t) => {
  for (const kind of kinds) {
    for (const [code, { deed, timeoutMs }] of Object.entries(starts)) {
      await t.test(`${kind}, ${code}`, async () => {
        await using start = await gatedCommand('start');
        await start.open();
        const { servers } = planServers({ late: {} });
        await using gateway = await openListedGateway({ servers: { late: start.behind(servers.late ?? {}) } });
        await start.open('gate', deed);
        // A link that was opened with other settings is closed; the call opens the next one.
        const file = JSON.parse(await readFile(gateway.configFile, 'utf8')) as object;
        await writeFile(gateway.configFile, JSON.stringify({ ...file, connect: { timeoutMs, maxRetries: 0 } }));
        await eventually('the link is closed', async () => {
          const [row] = await gateway.gateway.admin.run('servers.list', {});
          return row?.state === 'configured' ? true : undefined;
        });
        await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
          headers: gateway.agentHeaders,
        });
        const result = await agent.call('tool_execute', { toolKey: 'late:echo', arguments: { text: 'x' } });
        const text = JSON.stringify(result);
        assert.match(text, new RegExp(`"errorType":"${code}"`));
        assert.match(text, /The call was not sent, so it had no effect\./);
        assert.doesNotMatch(text, /may still have had an effect|whether the call took effect/);
      });
    }
  }
});
