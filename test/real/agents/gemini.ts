/** Gemini CLI: the generateContent API, and a config in JSON. */

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type AgentProgram, type GatewayAddress, gatewayName } from './agent-program.ts';
import type { ModelWire } from './scripted-model.ts';

interface ContentRequest {
  readonly contents: readonly {
    readonly parts?: readonly { readonly functionResponse?: { readonly response?: unknown } }[];
  }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

const prefix = `mcp_${gatewayName}_`;

const wire: ModelWire = {
  isRequest: (path) => path.includes(':streamGenerateContent'),
  read(body) {
    const { contents, tools = [] } = body as ContentRequest;
    const names = tools.flatMap((tool) => (tool.functionDeclarations ?? []).map((item) => item.name));
    const parts = contents.flatMap((content) => content.parts ?? []);
    return {
      tools: names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
      results: parts.flatMap(({ functionResponse: said }) => (said ? [JSON.stringify(said.response)] : [])),
    };
  },
  say(step, _turn, words) {
    const parts = step ? [{ functionCall: { name: prefix + step.tool, args: step.input } }] : [{ text: words }];
    const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }];
    return [{ candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }];
  },
};

export const gemini: AgentProgram = {
  id: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  wire,
  async prepare(packages, home, modelUrl, gateway) {
    const folder = join(home, '.gemini');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settings.json'), JSON.stringify(settingsOf(gateway)));
    const flags = ['--yolo', '--output-format', 'stream-json', '-m', 'gemini-2.5-flash'];
    const script = await packages.script(gemini.package);
    return {
      command: otherNode(),
      args: [script, '-p', 'Do what the script says.', ...flags],
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      listing: { args: [script, 'mcp', 'list'], says: /toolcrib: .* - Connected/ },
    };
  },
};

function settingsOf(gateway: GatewayAddress | null): Record<string, unknown> {
  const server =
    gateway !== null && 'url' in gateway
      ? { httpUrl: gateway.url, headers: { Authorization: `Bearer ${gateway.token}` } }
      : gateway;
  return {
    ...(server !== null && { mcpServers: { [gatewayName]: { ...server, trust: true } } }),
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
  };
}

/** The machine's own Node: on Node 26 this version of the agent reads no header of any MCP server over HTTP. */
export function otherNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file)) ?? process.execPath;
}
