/** Gemini CLI: a stream of JSON events, and a config in JSON. */

import { tokensIn } from '../language-model/language-model.ts';
import { type AgentAdapter, doorName, errorText, type ToolDoor, tokenVariable, toolError } from './agent-adapter.ts';

export const gemini: AgentAdapter = {
  prepare(_home, door) {
    return {
      args: ['--output-format', 'stream-json', '--skip-trust'],
      env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
      // The nearest file of variables counts, which could send the owner's key elsewhere: it finds this one first.
      files: { '.gemini/settings.json': JSON.stringify(settingsOf(door)), 'work/.gemini/.env': '' },
    };
  },
  read({ type, role, content, status, output, error, stats }) {
    // A message comes in parts.
    if (type === 'message' && role === 'assistant' && typeof content === 'string') return { words: content };
    if (type === 'tool_result' && status === 'error') return { words: `\n${toolError(errorText(error ?? output))}` };
    if (type !== 'result') return {};
    const tokens = tokensIn(stats, ['total_tokens']);
    return status === 'success' ? { isEnd: true, tokens } : { error: errorText(error), tokens };
  },
};

function settingsOf(door: ToolDoor | null): Record<string, unknown> {
  const headers = { Authorization: `Bearer \${${tokenVariable}}` };
  return {
    mcpServers: door ? { [doorName]: { httpUrl: door.url, headers, trust: true } } : {},
    // All tools that it may have; an empty list would also forbid those of the door.
    tools: { core: [`mcp_${doorName}_*`] },
    // Instructions in the folders above are not for it.
    context: { memoryBoundaryMarkers: [] },
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, maxAttempts: 3 },
  };
}
