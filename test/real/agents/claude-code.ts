/** Claude Code: the Messages API; its own commands and `toolcrib install` write its config. */

import { claudePackage } from '../claude/claude.ts';
import type { AgentProgram } from './agent-program.ts';
import { gatewayName } from './agent-program.ts';
import { claudeWire } from './claude-wire.ts';

const name = '@anthropic-ai/claude-code';

export const claudeCode: AgentProgram = {
  id: 'claude-code',
  title: 'Claude Code',
  package: name,
  version: claudePackage[name],
  wire: claudeWire,
  async prepare(packages, _home, modelUrl) {
    // This script finds the binary for the platform, also where no install script has run.
    const script = packages.file(name, 'cli-wrapper.cjs');
    const output = ['--output-format', 'stream-json', '--verbose', '--allowedTools', `mcp__${gatewayName}`];
    return {
      command: process.execPath,
      args: [script, '-p', 'Do what the script says.', ...output],
      env: {
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_AUTOUPDATER: '1',
        // The stand-in does not look for tools that are not loaded.
        ENABLE_TOOL_SEARCH: 'false',
      },
      listing: { args: [script, 'mcp', 'list'], says: /toolcrib: .*Connected/ },
    };
  },
};
