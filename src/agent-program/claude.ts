/** Claude Code: `claude -p` with a stream of JSON events. */

import { join } from 'node:path';
import { isObject } from '../base/json.ts';
import { textOf, tokensIn } from '../language-model/language-model.ts';
import {
  type AgentAdapter,
  doorName,
  errorText,
  line,
  type Remark,
  tokenVariable,
  toolError,
} from './agent-adapter.ts';

const counted = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];

export const claude: AgentAdapter = {
  prepare(home, door) {
    const headers = { Authorization: `Bearer \${${tokenVariable}}` };
    const mcpServers = door ? { [doorName]: { type: 'http', url: door.url, headers } } : {};
    const output = ['--output-format', 'stream-json', '--verbose', '--no-session-persistence'];
    const mcp = ['--mcp-config', join(home, 'mcp.json'), '--strict-mcp-config', '--allowedTools', `mcp__${doorName}`];
    return {
      args: ['-p', ...output, ...mcp, '--tools', ''],
      env: {
        // Its keychain entry on macOS is named after this folder too.
        CLAUDE_CONFIG_DIR: join(home, '.claude'),
        // Instructions in the folders above are not for it.
        CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        // Lists all tools of the door from the first turn on.
        ENABLE_TOOL_SEARCH: 'false',
        // Otherwise it retries for minutes without saying why.
        CLAUDE_CODE_MAX_RETRIES: '3',
      },
      files: { 'mcp.json': JSON.stringify({ mcpServers }) },
    };
  },
  read(event) {
    if (event.type === 'result') return readResult(event);
    if (event.subtype === 'init') return readStart(event);
    const { message } = event;
    if (!isObject(message) || event.is_api_error_message === true) return {};
    const blocks = Array.isArray(message.content) ? message.content.filter(isObject) : [];
    const failures = blocks.filter(({ type, is_error }) => type === 'tool_result' && is_error === true);
    if (event.type === 'user') return { words: failures.map(({ content }) => toolError(textOf(content))).join('') };
    return event.type === 'assistant' ? { words: line(textOf(blocks)) } : {};
  },
};

/** Claude Code continues even if it cannot reach the door, so this is an error. */
function readStart({ mcp_servers: servers }: Readonly<Record<string, unknown>>): Remark {
  const ours = Array.isArray(servers) ? servers.filter(isObject).find(({ name }) => name === doorName) : undefined;
  return ours && ours.status !== 'connected' ? { error: `it began without the tools (${ours.status})` } : {};
}

function readResult({ is_error, result, subtype, usage }: Readonly<Record<string, unknown>>): Remark {
  const tokens = tokensIn(usage, counted);
  return is_error === true ? { error: errorText(result ?? subtype), tokens } : { isEnd: true, tokens };
}
