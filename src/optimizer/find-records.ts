/** Tools and records by name, and the errors about missing ones: the next step is a tool for agents, a command for the owner. */

import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Catalog, Entry } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import type { OptimizerStore, StoredCandidate, StoredPrompt } from '../store/store.ts';

/** A tool by the name that its server gives it. */
export interface ToolName {
  readonly server: string;
  readonly tool: string;
}

type ListedCatalog = Pick<Catalog, 'snapshot' | 'settle'>;

/** Every tool of a server by its own name; an alias is no tool of its own. */
export async function canonicalTools(catalog: ListedCatalog, server: string): Promise<readonly Entry[]> {
  await catalog.settle(limits.listWaitMs);
  const entry = catalog.snapshot.servers.get(server);
  if (!entry) {
    const [near] = nearest(server, catalog.snapshot.servers.keys(), 1);
    const hint = near === undefined ? undefined : `Did you mean "${near}"?`;
    throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}".`, { hint });
  }
  const tools = new Map(entry.tools.map((tool) => [tool.serverName, tool]));
  if (tools.size > 0) return [...tools.values()];
  throw new GatewayError('TOOL_NOT_FOUND', `Server "${server}" has no canonical tools yet: is it connected?`, {
    hint: `Run "toolcrib refresh ${server}", or look at its state with "toolcrib show ${server}".`,
  });
}

/**
 * The server's tool with this name; undefined if no server within `reach` has one now. Throws if only other servers have it: a text
 * about their tool would otherwise wait here for a tool of that name.
 */
export function ownTool(
  { servers }: Catalog['snapshot'],
  { server, tool: toolName }: ToolName,
  reach: readonly string[],
): Entry | undefined {
  const isIt = (tool: Entry) => tool.serverName === toolName;
  const tools = servers.get(server)?.tools ?? [];
  const own = tools.find(isIt);
  // A server that is not listed yet may have any tool.
  if (own || tools.length === 0) return own;
  const other = reach.find((name) => servers.get(name)?.tools.some(isIt));
  if (other === undefined) return undefined;
  throw unusableRecord(`Tool "${toolName}" belongs to server "${other}", not to "${server}".`);
}

export async function findTool(catalog: ListedCatalog, { server, tool }: ToolName): Promise<Entry> {
  const entries = await canonicalTools(catalog, server);
  const found = entries.find(({ serverName, name }) => serverName === tool || name === tool);
  if (found) return found;
  const names = entries.map((entry) => entry.serverName);
  const [near] = nearest(tool, names, 1);
  throw new GatewayError('TOOL_NOT_FOUND', `Server "${server}" has no tool "${tool}".`, {
    hint: near === undefined ? 'get_canonical_tools lists them.' : `Did you mean "${near}"?`,
    ownerHint: near === undefined ? `List them: toolcrib tools --server ${server}` : undefined,
  });
}

export async function candidateOf(
  store: Pick<OptimizerStore, 'listCandidates'>,
  server: string,
  toolName: string,
  candidateId: string,
): Promise<StoredCandidate> {
  const candidate = (await store.listCandidates(server)).find(({ id }) => id === candidateId);
  if (!candidate) throw noCandidate(candidateId, server);
  if (candidate.toolName === toolName) return candidate;
  throw unusableRecord(`Candidate "${candidateId}" is for tool "${candidate.toolName}", not for "${toolName}".`);
}

/** Of every server. */
export async function allPrompts({
  store,
  catalog,
}: {
  readonly store: Pick<OptimizerStore, 'listPrompts'>;
  readonly catalog: Pick<Catalog, 'snapshot'>;
}): Promise<StoredPrompt[]> {
  const servers = [...catalog.snapshot.servers.keys()];
  return (await Promise.all(servers.map((server) => store.listPrompts(server)))).flat();
}

export function noRuns({
  server,
  tool,
  candidateId,
}: {
  server: string;
  tool?: string | undefined;
  candidateId?: string | undefined;
}): GatewayError {
  const address = tool === undefined ? server : `${server}:${tool}`;
  const whose = candidateId === undefined ? `"${address}"` : `candidate "${candidateId}"`;
  return new GatewayError('ARGUMENTS_INVALID', `There are no evaluation runs yet for ${whose}.`, {
    hint: 'Start some with run_evaluation, or record your own with record_eval_run, for the candidate and for "canonical".',
    ownerHint: `Measure it: toolcrib optimize run ${address}`,
  });
}

export function noPrompts(): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', 'There are no golden prompts to evaluate with.', {
    hint: 'Save some with save_golden_prompts.',
    ownerHint: 'Save some: toolcrib optimize prompts SERVER:TOOL --file FILE',
  });
}

export function noPrompt(id: string, server: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Server "${server}" has no golden prompt "${id}".`, {
    hint: 'Save it first with save_golden_prompts.',
    ownerHint: `List them: toolcrib optimize prompts ${server}`,
  });
}

export function noCandidate(id: string, server: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Server "${server}" has no candidate "${id}".`, {
    hint: 'Propose it first with propose_candidate, or use "canonical" for the server\'s own description.',
    ownerHint: `List them: toolcrib optimize candidates ${server}`,
  });
}

export function noJob(id: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `There is no job "${id}".`, {
    hint: 'run_evaluation and optimize answer with the id of their job.',
    ownerHint: 'List them: toolcrib optimize jobs',
  });
}

/** `notes`: why the available authors wrote nothing. */
export function nothingToMine(message: string, { server, tool }: ToolName, notes: readonly string[]): GatewayError {
  const first = 'Let agents search for the tool and call it, then try again';
  const model = notes.length > 0 ? notes.join(' ') : 'A model writes prompts too, if you configure one ("llm").';
  return new GatewayError('ARGUMENTS_INVALID', message, {
    hint: `${first}, or write prompts and save them with save_golden_prompts. ${model}`,
    ownerHint: `${first}, or save your own: toolcrib optimize prompts ${server}:${tool} --file FILE. ${model}`,
  });
}

export function tooManyRecords(what: string, { server, tool }: ToolName, most: number): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Tool "${server}:${tool}" can have at most ${most} ${what}.`);
}

export function unusableRecord(why: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', why);
}

/** The reason why a record was refused; undefined if it was taken. */
export async function reasonAgainst(take: () => Promise<void>): Promise<string | undefined> {
  try {
    await take();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'ARGUMENTS_INVALID') return error.message;
    throw error;
  }
}
