/** Instructions for agents: the address, where the token is, and how each of them is connected. */

import { join } from 'node:path';
import { localUrlOf } from '../../../base/local-url.ts';
import { tokenFiles } from '../../../base/token-files.ts';
import { agentSetups, tokenInWords } from '../../wording/wording.ts';
import { cells, facts, gap, paragraph, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useTui } from '../state.ts';

/** Lines around the list of agents. */
const otherLines = 12;

export function useConnectAgentsView(): Screen {
  const { rows } = useTui();
  const status = useAnswer('gateway.status', {}, ['config']).data;
  const agents = useAnswer('agents.list', {}, ['agents']).data ?? [];
  const seen = [...new Set(agents.map(({ client, principal }) => client ?? principal))];
  const url = `${localUrlOf(status?.url ?? '')}/mcp`;
  const tokenFile =
    status === undefined || status.isAuthOff || status.issuer !== null ? null : join(status.dataDir, tokenFiles.agent);
  const items = status === undefined ? [] : agentSetups({ url, tokenFile, command: status.command });
  const list = useList({ name: 'agents', items, idOf: ({ agent }) => agent, rows: Math.max(1, rows - otherLines) });
  const title = 'Connect an agent';
  if (status === undefined) return { title, commands: [], body: null };
  const { place, lines } = list.selected ?? { place: '', lines: [] };
  return {
    title,
    commands: list.commands,
    body: stack(
      facts(
        [
          ['Address', url],
          ['Token', tokenInWords(tokenFile, status.isAuthOff ? null : status.issuer)],
          ['Seen', seen.length === 0 ? 'no agent since the start' : seen.join(', ')],
        ],
        2,
      ),
      gap('before'),
      list.show(({ agent }, isSelected) => cells([{ text: agent }], isSelected)),
      gap('after'),
      say(place),
      paragraph(lines.map((line) => `  ${line}`).join('\n')),
    ),
  };
}
