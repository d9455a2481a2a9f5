/** Codex: `codex exec` with events of JSON, and a config in TOML. */

import { join } from 'node:path';
import { isObject } from '../base/json.ts';
import { textOf, tokensIn } from '../language-model/language-model.ts';
import {
  type AgentAdapter,
  doorName,
  errorText,
  line,
  type ToolDoor,
  tokenVariable,
  toolError,
} from './agent-adapter.ts';

/** Its own tools, by the features that bring them. */
const ownTools = [
  'shell_tool',
  'unified_exec',
  'multi_agent',
  'goals',
  'apps',
  'plugins',
  'view_image',
  'image_generation',
  'sleep_tool',
];

export const codex: AgentAdapter = {
  prepare(home, door) {
    const flags = ['--json', '--skip-git-repo-check', '--ephemeral', '--sandbox', 'read-only'];
    return {
      args: ['exec', ...flags, '-'],
      env: { CODEX_HOME: join(home, '.codex') },
      files: { '.codex/config.toml': configOf(door) },
    };
  },
  read({ type, item, error, usage }) {
    if (type === 'turn.completed') return { isEnd: true, tokens: tokensIn(usage, ['input_tokens', 'output_tokens']) };
    if (type === 'turn.failed') return { error: errorText(error) };
    if (type !== 'item.completed' || !isObject(item)) return {};
    if (item.type === 'agent_message' && typeof item.text === 'string') return { words: line(item.text) };
    if (item.type !== 'mcp_tool_call' || item.status !== 'failed') return {};
    return { words: toolError(isObject(item.result) ? textOf(item.result.content) : errorText(item.error)) };
  },
};

function configOf(door: ToolDoor | null): string {
  // TOML writes strings as JSON does. The tools need no approval, because nobody is there to give one.
  const server = door && [
    `[mcp_servers.${doorName}]`,
    `url = ${JSON.stringify(door.url)}`,
    `bearer_token_env_var = "${tokenVariable}"`,
    'default_tools_approval_mode = "approve"',
    // Otherwise, on a busy machine, it asks its model before it has the tools.
    'required = true',
  ];
  const features = ownTools.map((name) => `${name} = false`);
  return [
    // Instructions and skills in the folders above are not for it.
    'project_root_markers = []',
    'project_doc_max_bytes = 0',
    'web_search = "disabled"',
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    '[features]',
    ...features,
    ...(server ?? []),
  ].join('\n');
}
