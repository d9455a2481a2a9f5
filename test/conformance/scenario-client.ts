/** The client that acts out each client scenario of the conformance suite against a URL, with the SDK's own client. */

import {
  Client,
  type ClientCapabilities,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { REVISIONS, type Revision } from './suite.ts';

export type Scenario = {
  readonly scenario: string;
  readonly revision: Revision;
  /** The tool calls that the suite wants in the scenario, if it names any. */
  readonly context: unknown;
};

const CAPABILITIES: ClientCapabilities = {
  elicitation: { form: { applyDefaults: true } },
  sampling: {},
  roots: {},
};

/** Performs one scenario. Whether it went well is for the suite to say, which sees the other end. */
export async function playScenario(url: string, scenario: Scenario): Promise<void> {
  const play = SCENARIOS[scenario.scenario];
  if (play === undefined) throw new Error(`There is no scenario ${scenario.scenario} here.`);
  const client = await connect(url, scenario.revision);
  try {
    await play(client, scenario.context);
  } finally {
    await client.close();
  }
}

/** The suite's wishes for a client that it starts, from the environment that it sets. */
export function readScenario(environment: NodeJS.ProcessEnv): Scenario {
  const context = environment.MCP_CONFORMANCE_CONTEXT;
  return {
    scenario: z.string().parse(environment.MCP_CONFORMANCE_SCENARIO),
    revision: z.enum(REVISIONS).parse(environment.MCP_CONFORMANCE_PROTOCOL_VERSION),
    context: context === undefined ? undefined : JSON.parse(context),
  };
}

/** A client that speaks the revision, at a URL. */
export async function connect(url: string, revision: Revision): Promise<Client> {
  const client = new Client(
    { name: 'toolcrib-scenario-client', version: '1.0.0' },
    {
      capabilities: CAPABILITIES,
      versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    content: { type: 'text', text: 'A sampled answer.' },
    model: 'none',
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

type Play = (client: Client, context: unknown) => Promise<void>;

const SCENARIOS: Readonly<Record<string, Play>> = {
  initialize: listTools,
  'request-metadata': listTools,
  'json-schema-ref-no-deref': listTools,
  tools_call: (client) => callAfterListing(client, 'add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': (client) => callAfterListing(client, 'test_client_elicitation_defaults'),
  'sse-retry': (client) => callAfterListing(client, 'test_reconnection'),
  'json-schema-2020-12-preservation': echoSchema,
  'http-standard-headers': useEveryMethod,
  'http-custom-headers': callAsTold,
  'http-invalid-tool-headers': callEveryTool,
  'sep-2322-client-request-state': answerInRounds,
};

async function listTools(client: Client): Promise<void> {
  await client.listTools();
}

async function callAfterListing(client: Client, name: string, args: Record<string, unknown> = {}): Promise<void> {
  await client.listTools();
  await client.callTool({ name, arguments: args });
}

/** Sends a schema back as it arrived, so that the suite sees what was lost on the way. */
async function echoSchema(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const schema = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema;
  await client.callTool({ name: 'json_schema_echo', arguments: { schema } });
}

async function useEveryMethod(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  for (const { name } of tools) await client.callTool({ name, arguments: {} });
  const { resources } = await client.listResources();
  for (const { uri } of resources) await client.readResource({ uri });
  const { prompts } = await client.listPrompts();
  for (const { name } of prompts) await client.getPrompt({ name });
}

const toldSchema = z.object({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
});

async function callAsTold(client: Client, context: unknown): Promise<void> {
  await client.listTools(); // the annotations in the listed schemas say which arguments go into headers
  for (const call of toldSchema.parse(context).toolCalls) await client.callTool(call);
}

/** Calls all that is listed: tools that clients must not accept are expected to be missing from the list by now. */
async function callEveryTool(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  for (const tool of tools) await client.callTool({ name: tool.name, arguments: sampleArguments(tool) });
}

function sampleArguments(tool: Tool): Record<string, unknown> {
  return Object.fromEntries(Object.keys(tool.inputSchema.properties ?? {}).map((name) => [name, 'sample']));
}

async function answerInRounds(client: Client): Promise<void> {
  await client.listTools();
  // At the same time, because what belongs to the one call must not turn up in the other.
  await Promise.all([
    client.callTool({ name: 'test_mrtr_echo_state', arguments: {} }),
    client.callTool({ name: 'test_mrtr_unrelated', arguments: {} }),
  ]);
  await client.callTool({ name: 'test_mrtr_no_state', arguments: {} });
  await client.callTool({ name: 'test_mrtr_no_result_type', arguments: {} }).catch(allowInvalidResult);
}

/** The SDK insists on a `resultType` from a modern server; the scenario only wants that nothing is sent again. */
function allowInvalidResult(error: unknown): void {
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.InvalidResult) throw error;
}
