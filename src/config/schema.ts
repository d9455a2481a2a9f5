/** The config file's settings: every section but the servers, with its defaults and what each key means. */

import { z } from 'zod';
import { type JsonObject, maxJsonDepth, maxJsonValues } from '../base/json.ts';
import { defaultHost, defaultPort, maxPort } from '../base/listen-address.ts';
import { issuerSettingsSchema } from './issuer-schema.ts';
import { projectSchema, surfaceNames } from './project-schema.ts';
import {
  choiceSchema,
  envName,
  flag,
  folder,
  hostName,
  listSchema,
  mapSchema,
  milliseconds,
  privateHost,
  section,
  secureUrl,
  share,
  storeUrl,
  webUrl,
  wholeNumber,
  word,
} from './schema-parts.ts';
import { serverSchema, upgradePolicies } from './server-schema.ts';

const most = 1_000_000_000;
const gibibyte = 1_073_741_824;

const root = z.union([folder(), section({ uri: folder(), name: word('a name', 256).optional() })], {
  error: 'a folder (a path or a file:// URI), or an object with such a "uri" and a "name"',
});

const listen = section({
  host: hostName().default(defaultHost).describe('Address to listen on; 0.0.0.0 and :: are all of this machine.'),
  port: wholeNumber(0, maxPort).default(defaultPort).describe('Port to listen on. 0: any free one.'),
  advertise: webUrl()
    .nullable()
    .default(null)
    .describe(
      'URL at which other replicas on the same PostgreSQL database reach this one. null: the address it listens on. Required with several gateways if that is 0.0.0.0 or ::.',
    ),
});

const connect = section({
  lazy: flag().default(true).describe('Connect a server at its first call. false: connect all servers at start.'),
  preconnect: listSchema(word('a server name'), 'a list of server names')
    .default([])
    .describe('Servers that are connected at start even when connecting is lazy.'),
  timeoutMs: milliseconds(1).default(30_000).describe('Time to connect to a server.'),
  installTimeoutMs: milliseconds(1)
    .default(600_000)
    .describe('Time for a package runner such as npx to install a server, until its first message.'),
  maxRetries: wholeNumber(0, 20).default(3).describe('Further tries after a failed connect.'),
  idleMs: milliseconds(0).default(900_000).describe('Close a link after this long without a call. 0: never.'),
  roots: listSchema(root, 'a list of folders').default([]).describe('Folders that servers get as roots.'),
});

const names = section({
  separator: choiceSchema(['.', '__'])
    .default('.')
    .describe('The separator of server and tool in public names; "__" for agents that refuse dots.'),
});

const embedding = section({
  provider: choiceSchema(['builtin', 'encoder', 'openai', 'off'])
    .default('builtin')
    .describe('Where embeddings come from; "openai" is any service with the OpenAI API.'),
  model: word('the name of a model', 256).default('text-embedding-3-small').describe('Model of the embedding service.'),
  baseUrl: webUrl().default('https://api.openai.com/v1').describe('Address of the embedding service.'),
  apiKeyEnv: envName()
    .nullable()
    .default(null)
    .describe(
      'Environment variable that holds the key of the service. null: OPENAI_API_KEY, for the usual address only.',
    ),
  dimensions: wholeNumber(1, 16_384).default(1_536).describe('Length of the vectors of the service.'),
});

const cloud = section({
  url: webUrl().nullable().default(null).describe('Address of a remote catalog/search.'),
  tokenEnv: envName().nullable().default(null).describe('Environment variable that holds its token.'),
  timeoutMs: milliseconds(1).default(5_000).describe('Time to wait for it before searching locally.'),
});

const search = section({
  mode: choiceSchema(['bm25', 'semantic', 'hybrid', 'llm', 'cloud']).default('hybrid').describe('How tools are found.'),
  maxResults: wholeNumber(1, 100)
    .default(10)
    .describe('Tools in one answer, unless the agent asks for another number.'),
  synonyms: mapSchema(listSchema(word('a word', 128), 'a list of words'), 'an object of word lists')
    .default({})
    .describe('More synonyms: a word, and the words that mean the same.'),
  usage: flag().default(true).describe('Let past calls improve the ranking.'),
  embedding: embedding.prefault({}).describe('Embeddings for search by meaning.'),
  cloud: cloud.prefault({}).describe('Search by another gateway.'),
});

const llm = section({
  provider: choiceSchema(['openai-compatible', 'anthropic', 'sampling', 'agent'])
    .nullable()
    .default(null)
    .describe(
      'Model that ranks tools in the mode "llm" and writes for the optimizer: a service, the model of the calling agent ("sampling"), or an agent program ("agent", see "optimize.agent"). null: none.',
    ),
  model: word('the name of a model', 256).nullable().default(null).describe('Model of the service.'),
  baseUrl: webUrl().nullable().default(null).describe('Address of the service, if it is not the usual one.'),
  apiKeyEnv: envName().nullable().default(null).describe('Environment variable that holds the key of the service.'),
  timeoutMs: milliseconds(1).default(60_000).describe('Time for one answer of the model.'),
});

const calls = section({
  timeoutMs: milliseconds(1).default(60_000).describe('Time for one call; progress restarts it.'),
  maxFallbacks: wholeNumber(0, 20).default(3).describe('Alternatives that are offered when a tool fails.'),
  autoRetryFallback: flag().default(false).describe('Try the first read-only alternative without asking.'),
  maxResultBytes: wholeNumber(1_000, gibibyte).default(20_000).describe('Larger results become a preview and a link.'),
  includeMetrics: flag().default(true).describe('Show success rate and latency of tools in search answers.'),
  resultTtlMinutes: wholeNumber(1, 525_600).default(60).describe('How long a large result can be read by its link.'),
  resultStoreBytes: wholeNumber(1_000_000, 64 * gibibyte)
    .default(268_435_456)
    .describe(
      'Most bytes of large results in the data folder. In a PostgreSQL store, the same limit applies to the copies of all gateways together.',
    ),
});

const keys = section({
  ttlMinutes: wholeNumber(0, 525_600).default(0).describe('How long a tool key is valid. 0: forever.'),
});

const metrics = section({
  retentionDays: wholeNumber(1, 3_650)
    .default(7)
    .describe('How long single calls are kept; daily sums are kept forever.'),
});

const surfaceOf = (whose: string) =>
  mapSchema(choiceSchema(surfaceNames), `an object of ${whose} and the surface of each`);

const surfaces = section({
  tokens: surfaceOf('tokens')
    .default({})
    .describe('The surface of agents by the name of their token, unless their URL names one.'),
  projects: surfaceOf('projects')
    .default({})
    .describe('The surface of agents by project, unless their URL or token names one.'),
});

const chains = section({
  enabled: flag().default(true).describe('Let agents run programs that call several tools.'),
  timeoutMs: milliseconds(1).default(30_000).describe('Time for one program.'),
  memoryMb: wholeNumber(8, 4_096).default(64).describe('Memory for one program.'),
  maxCalls: wholeNumber(1, 100_000).default(100).describe('Tool calls of one program.'),
  maxOutputBytes: wholeNumber(1, gibibyte).default(20_000).describe('Size of the answer of one program.'),
});

const access = section({
  auth: choiceSchema(['token', 'oauth', 'none'])
    .default('token')
    .describe(
      'How agents prove who they are: by tokens of this gateway, by those of an issuer, or, on loopback only, not at all.',
    ),
  oauth: issuerSettingsSchema.prefault({}).describe('The issuer of tokens, where auth is "oauth".'),
  approveNew: flag().default(false).describe('Hold back the tools of a new server until they are approved.'),
  upgrades: choiceSchema(upgradePolicies)
    .default('hold')
    .describe(
      'Risky changes of definitions: "hold" them until you accept them, let them pass and "mark" them, or "allow" and only record them. Hidden characters, encoded text and instructions to the model always wait.',
    ),
  askBy: listSchema(choiceSchema(['agent', 'owner']), 'a list of "agent" and "owner"')
    .min(1, { error: 'a list of "agent" and "owner" that is not empty' })
    .default(['agent', 'owner'])
    .describe(
      'Who may approve a call whose permission is "ask": the person at the agent, asked through it, and the owner, by command or API. The owner may in any case.',
    ),
  approvalTimeoutMs: milliseconds(1_000)
    .default(300_000)
    .describe('How long a call can be approved; then it is refused.'),
  approvalWaitMs: milliseconds(0)
    .default(0)
    .describe(
      'How long a call waits for the owner where the agent cannot be asked. 0: it is answered at once, and can be made again when it is approved.',
    ),
  cacheMs: milliseconds(0)
    .default(30_000)
    .describe(
      'How long tokens and projects that were read count while a shared database cannot be reached; then requests get 503 until it can.',
    ),
  allowedHosts: listSchema(word('a host name', 260), 'a list of host names')
    .default([])
    .describe('Host names under which the gateway may be reached, besides loopback.'),
  trustedFrontEnds: listSchema(word('an address', 260), 'a list of addresses')
    .default([])
    .describe('Addresses of front ends that may pass on a principal.'),
  privateHosts: listSchema(privateHost(), 'a list of hosts')
    .default([])
    .describe(
      'Hosts that may lead into private networks although their names look public, or that servers may send us to: a host, a host:port, *.domain, an address or a range such as 10.0.0.0/8.',
    ),
  keyring: choiceSchema(['auto', 'off'])
    .default('auto')
    .describe('Where a new key for secrets is kept: the keyring of the system where there is one, or a file.'),
});

const oauth = section({
  publicUrl: secureUrl()
    .nullable()
    .default(null)
    .describe(
      'The https address under which browsers reach this gateway, where that is not this machine: sign-ins to servers come back there, and links to the dashboard lead there.',
    ),
  clientMetadataUrl: secureUrl()
    .nullable()
    .default(null)
    .describe(
      'Address of a client metadata document that describes this gateway to authorization servers. null: the one that it serves itself under publicUrl.',
    ),
});

const audit = section({
  arguments: flag().default(false).describe('Keep the arguments of calls. false: only a hash of them.'),
  retentionDays: wholeNumber(1, 36_500).default(365).describe('How long audit records are kept.'),
  maxRecords: wholeNumber(1_000, 1_000_000_000)
    .default(5_000_000)
    .describe('How many audit records are kept; beyond it the oldest go, which is recorded.'),
});

const doorLimits = section({
  bodyBytes: wholeNumber(1_024, gibibyte).default(4_194_304).describe('Largest request body.'),
  bodyMembers: wholeNumber(1_000, maxJsonValues)
    .default(50_000)
    .describe('Most members and items in a request body; a body with more is refused before it is parsed.'),
  bodyDepth: wholeNumber(16, maxJsonDepth).default(maxJsonDepth).describe('Deepest nesting of a request body.'),
  bodyBytesPerSecond: wholeNumber(0, gibibyte)
    .default(1_024)
    .describe('Slowest pace of a request body, from its fifth second on; a slower one is refused. 0: any pace.'),
  tokens: wholeNumber(1, 10_000)
    .default(1_000)
    .describe('Most active tokens: those that are neither revoked nor expired.'),
  sessions: wholeNumber(1, most).default(1_000).describe('Agent sessions at once, at each gateway.'),
  sessionsPerToken: wholeNumber(1, most).default(500).describe('Agent sessions of one token at once, at each gateway.'),
  requestsPerToken: wholeNumber(1, most)
    .default(256)
    .describe('Requests of one token at once, with its streams, at each gateway.'),
  streamsPerToken: wholeNumber(1, most).default(64).describe('Open streams of one token, at each gateway.'),
  subscriptionsPerToken: wholeNumber(1, most)
    .default(5_000)
    .describe('Resources that one token watches at once, at each gateway.'),
  callsPerMinute: wholeNumber(0, most)
    .default(0)
    .describe('Calls of one token in a minute, at each gateway. 0: no limit.'),
  failedSignInsPerMinute: wholeNumber(0, most)
    .default(20)
    .describe('Failed sign-ins from one address in a minute, at each gateway. 0: no limit.'),
});

const telemetry = section({
  prometheus: flag().default(true).describe('Serve /metrics for Prometheus, to tokens with the scope "metrics".'),
  otlpUrl: webUrl()
    .nullable()
    .default(null)
    .describe(
      'Address of an OpenTelemetry collector that takes OTLP over HTTP, without /v1/traces: it gets traces and metrics. null: nothing is sent.',
    ),
  headers: mapSchema(z.string({ error: 'a string' }), 'an object of strings')
    .default({})
    .describe(`HTTP headers for the collector. Values may refer to \${secret:NAME}.`),
  sampleRatio: share()
    .default(1)
    .describe('Share of the requests without a trace of their own that are traced. Others follow their sampled flag.'),
  intervalMs: milliseconds(100).default(10_000).describe('How often traces and metrics are sent.'),
});

export const agentNames = ['claude', 'codex', 'gemini'] as const;
export type AgentName = (typeof agentNames)[number];

const optimize = section({
  enabled: flag().default(false).describe('Switch on the optimizer of tool descriptions.'),
  judge: choiceSchema(['search', 'model', 'agent'])
    .default('search')
    .describe(
      'Who judges descriptions: "search" is the search of this gateway and costs nothing, "model" asks the model in "llm", "agent" runs the program in "agent".',
    ),
  agent: choiceSchema(agentNames)
    .nullable()
    .default(null)
    .describe(
      'Agent program that the gateway may start: Claude Code, Codex or Gemini CLI. It serves the judge "agent", writes for the optimizer, and ranks tools if "llm.provider" is "agent". null: none.',
    ),
  agentCommand: listSchema(word('a command or an argument'), 'a list of a command and its first arguments')
    .default([])
    .describe('Command and first arguments of that program, if its name alone does not start it.'),
  agentEnv: listSchema(envName(), 'a list of names of environment variables')
    .default([])
    .describe("Environment variables that the program gets, such as its model's key. It gets no other secret."),
  surface: choiceSchema(['direct', 'search'])
    .default('direct')
    .describe('Surface on which the judge "agent" offers tools.'),
  strict: flag().default(false).describe('Require the paired test also for runs that an agent recorded itself.'),
  timeoutMs: milliseconds(1).default(60_000).describe('Time to judge one prompt; a prompt that takes longer is void.'),
  minPrompts: wholeNumber(1, 10_000).default(5).describe('Fewest prompts of a tool for a promotion.'),
  promptsPerCategory: wholeNumber(1, 1_000)
    .default(12)
    .describe('Prompts of each category that "optimize" uses for a tool.'),
  candidatesPerTool: wholeNumber(1, 10).default(4).describe('Candidates that "optimize" generates for a tool.'),
  repeats: wholeNumber(1, 20)
    .nullable()
    .default(null)
    .describe(
      'How often each prompt is judged; its value is the mean. null: 1 for "search", 3 for "model", 2 for "agent".',
    ),
  maxPromptsPerTool: wholeNumber(1, 10_000).default(500).describe('Most golden prompts of one tool.'),
  maxCandidatesPerTool: wholeNumber(1, 1_000).default(50).describe('Most candidates of one tool.'),
  maxCalls: wholeNumber(1, most).default(200_000).describe('Most judgements of one job.'),
  watchCalls: wholeNumber(0, 1_000_000)
    .default(200)
    .describe('Calls after a promotion during which its success is watched. 0: not at all.'),
  maxModelCalls: wholeNumber(0, most)
    .default(2_000)
    .describe(
      'Most requests to a model in one job, or in one call that generates texts. At the limit, the job is paused: raise it and start the same job again.',
    ),
  maxModelTokens: wholeNumber(0, most)
    .default(2_000_000)
    .describe(
      'About the most tokens of a model in one job, or in one call that generates texts. At the limit, the job is paused.',
    ),
  minOverall: share().default(0.85).describe('Least overall success for a promotion.'),
  minNegative: share().default(0.8).describe('Least success on prompts that must not call the tool.'),
  minImprovement: share().default(0.05).describe('Least improvement over the original description.'),
  maxRegression: share()
    .default(0.1)
    .describe('Most that any category may get worse, and the largest share of its prompts that a neighbour may lose.'),
  maxChars: wholeNumber(1, 10_000).default(280).describe('Longest description, in code points.'),
});

const store = section({
  url: storeUrl()
    .nullable()
    .default(null)
    .describe('Where data is kept: sqlite:PATH, or postgres://USER:PASSWORD@HOST/DATABASE. null: in the data folder.'),
});

/** Every top-level key but `mcpServers` and `$schema`. */
export const sections = {
  listen: listen
    .prefault({})
    .describe(
      'Where the gateway listens; TOOLCRIB_HOST, TOOLCRIB_PORT and the flags of "start" go first. Read at start.',
    ),
  connect: connect.prefault({}).describe('How servers are connected.'),
  names: names.prefault({}).describe('Public names of tools.'),
  search: search.prefault({}).describe('How tools are found.'),
  llm: llm.prefault({}).describe('A language model, used only where it is asked for.'),
  calls: calls.prefault({}).describe('How tools are called.'),
  keys: keys.prefault({}).describe('Tool keys.'),
  metrics: metrics.prefault({}).describe('What is measured.'),
  surfaces: surfaces.prefault({}).describe('Which tools agents are shown.'),
  projects: mapSchema(projectSchema, 'an object with a member for each project')
    .default({})
    .describe('Projects: sets of servers with a search, a surface and permissions of their own.'),
  chains: chains.prefault({}).describe('Programs that agents write to call several tools.'),
  access: access.prefault({}).describe('Who may do what.'),
  oauth: oauth.prefault({}).describe('How the gateway signs in to remote servers.'),
  audit: audit.prefault({}).describe('The record of who did what.'),
  limits: doorLimits.prefault({}).describe('Limits for agents.'),
  telemetry: telemetry.prefault({}).describe('Data for other programs to observe.'),
  optimize: optimize.prefault({}).describe('The optimizer of tool descriptions.'),
  store: store.prefault({}).describe('Where data is kept.'),
};

/** The whole file, with `server` as the schema of one `mcpServers` member. */
export function fileSchema<T extends z.ZodType>(server: T) {
  return section({
    $schema: z.string({ error: 'a string' }).optional().describe('The JSON Schema of this file, for editors.'),
    mcpServers: mapSchema(server, 'an object with a member for each server')
      .prefault({})
      .describe('The servers, in the form that agents use.'),
    ...sections,
  });
}

/** JSON Schema draft 2020-12 of what may be written; it is generated from the schema that checks the file. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(fileSchema(serverSchema), { target: 'draft-2020-12', io: 'input' });
  const described = {
    ...schema,
    title: 'Toolcrib configuration',
    description: `Servers and settings of a Toolcrib gateway. Strings may refer to \${ENV_NAME} and \${ENV_NAME:-default}.`,
  };
  // Through text, because zod attaches hidden members that are not part of the schema.
  return JSON.parse(JSON.stringify(described));
}
