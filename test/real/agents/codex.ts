/** Codex: the Responses API, and a config in TOML. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentProgram, type GatewayAddress, gatewayName } from './agent-program.ts';
import type { ModelWire } from './scripted-model.ts';

interface ResponsesRequest {
  readonly input: readonly { readonly type: string; readonly output?: unknown }[];
  readonly tools?: readonly {
    readonly type: string;
    readonly name?: string;
    readonly tools?: readonly { readonly name: string }[];
  }[];
}

/** Codex groups the tools of a server in a namespace, and a call names both. */
const namespace = `mcp__${gatewayName}`;

const wire: ModelWire = {
  isRequest: (path) => path.endsWith('/responses'),
  read(body) {
    const { input, tools = [] } = body as ResponsesRequest;
    const ours = tools.find((tool) => tool.type === 'namespace' && tool.name === namespace);
    const outputs = input.filter((item) => item.type === 'function_call_output');
    return {
      tools: (ours?.tools ?? []).map((tool) => tool.name),
      results: outputs.map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output))),
    };
  },
  say(step, turn, words) {
    const id = `response-${turn}`;
    const content = [{ type: 'output_text', text: words, annotations: [] }];
    const item = step
      ? {
          type: 'function_call',
          id: `call-${turn}`,
          call_id: `call-${turn}`,
          namespace,
          name: step.tool,
          arguments: JSON.stringify(step.input),
          status: 'completed',
        }
      : { type: 'message', id: `message-${turn}`, role: 'assistant', status: 'completed', content };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      { type: 'response.created', response: { id, object: 'response', status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id, object: 'response', status: 'completed', output: [item], usage } },
    ];
  },
};

export const codex: AgentProgram = {
  id: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  version: '0.166.0',
  wire,
  async prepare(packages, home, modelUrl, gateway) {
    const folder = join(home, '.codex');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'config.toml'), configOf(modelUrl, gateway));
    const script = await packages.script(codex.package);
    const args = [script, 'exec', '--json', '--skip-git-repo-check'];
    const token = gateway !== null && 'token' in gateway ? { TOOLCRIB_TOKEN: gateway.token } : {};
    return {
      command: process.execPath,
      args: [...args, '--dangerously-bypass-approvals-and-sandbox', 'Do what the script says.'],
      env: { CODEX_HOME: folder, MODEL_KEY: 'none', ...token },
      // It connects only when it runs.
      listing: { args: [script, 'mcp', 'list'], says: /toolcrib .* enabled/ },
    };
  },
};

function configOf(modelUrl: string, gateway: GatewayAddress | null): string {
  // A string, a list of strings and an inline table of strings are written in TOML almost as in JSON.
  const table = (values: Readonly<Record<string, string>>) =>
    `{ ${Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)} }`;
  const server = (way: GatewayAddress) =>
    'url' in way
      ? [`url = ${JSON.stringify(way.url)}`, 'bearer_token_env_var = "TOOLCRIB_TOKEN"']
      : [`command = ${JSON.stringify(way.command)}`, `args = ${JSON.stringify(way.args)}`, `env = ${table(way.env)}`];
  return [
    'model = "stand-in"',
    'model_provider = "local"',
    '[model_providers.local]',
    'name = "local"',
    `base_url = ${JSON.stringify(`${modelUrl}/v1`)}`,
    'wire_api = "responses"',
    'env_key = "MODEL_KEY"',
    ...(gateway === null ? [] : [`[mcp_servers.${gatewayName}]`, ...server(gateway)]),
  ].join('\n');
}
