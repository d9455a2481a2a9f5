/** Asks a server for everything it offers: walks pages with limits and takes nothing half-read as the truth. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject, maxJsonDepth } from '../base/json.ts';
import { redactedBeginning } from '../base/redact.ts';
import { limits } from '../config/config.ts';
import { scanParamHeaders } from '../protocol/eras.ts';
import { isTooDeep, RpcError, rpcCodes } from '../protocol/messages.ts';
import type { Agreement } from './handshake.ts';
import type { Link } from './link.ts';

type ListedDefinition = Record<string, unknown>;

/** Everything one server offers at one time. */
export interface Offer extends Omit<Agreement, 'era' | 'version'> {
  readonly tools: readonly ListedDefinition[];
  /** null: the server failed to list them, though it lists its tools. */
  readonly resources: readonly ListedDefinition[] | null;
  readonly templates: readonly ListedDefinition[] | null;
  readonly prompts: readonly ListedDefinition[] | null;
  /** When it began, in monotonic time. */
  readonly startedAt: number;
  /** Items that were left out, with the reason. */
  readonly warnings: readonly string[];
}

interface ListShape {
  readonly method: string;
  readonly capability: string;
  readonly member: string;
  /** The member of an item that identifies it. */
  readonly key: string;
}

const shapes = {
  tools: { method: 'tools/list', capability: 'tools', member: 'tools', key: 'name' },
  resources: { method: 'resources/list', capability: 'resources', member: 'resources', key: 'uri' },
  templates: {
    method: 'resources/templates/list',
    capability: 'resources',
    member: 'resourceTemplates',
    key: 'uriTemplate',
  },
  prompts: { method: 'prompts/list', capability: 'prompts', member: 'prompts', key: 'name' },
} as const satisfies Record<string, ListShape>;

export async function listServer(link: Link, clock: Clock, signal?: AbortSignal): Promise<Offer> {
  const startedAt = clock.elapsed();
  const found = new Findings(link.server);
  const walk = (shape: ListShape) => walkPages(link, shape, clock, found, signal);
  // A database that is down, or an account nobody has signed in to, often fails the list of resources alone.
  const walkBeside = (shape: ListShape) => walk(shape).catch((error: unknown) => refusedList(error, shape, found));
  const [tools, resources, templates, prompts] = await Promise.all([
    walk(shapes.tools),
    walkBeside(shapes.resources),
    walkBeside(shapes.templates),
    walkBeside(shapes.prompts),
  ]);
  const { serverInfo, capabilities, instructions } = link.agreement;
  const isModernHttp = link.era === 'modern' && link.transport.kind === 'http';
  const usable = isModernHttp ? tools.filter((tool) => isCallable(tool, found)) : tools;
  return {
    serverInfo,
    capabilities,
    instructions,
    tools: usable,
    resources,
    templates,
    prompts,
    startedAt,
    warnings: found.warnings,
  };
}

/** Tools work without the other lists; a link that broke fails all of them. */
function refusedList(error: unknown, { method }: ListShape, found: Findings): null {
  const isRefused = error instanceof RpcError || (error instanceof GatewayError && error.code === 'TIMEOUT');
  if (!isRefused) throw error;
  const said = redactedBeginning(error.message, limits.serverWordsChars);
  found.warn(`${method} failed (${said}): items known from before stay.`);
  return null;
}

async function walkPages(
  link: Link,
  shape: ListShape,
  clock: Clock,
  all: Findings,
  signal: AbortSignal | undefined,
): Promise<ListedDefinition[]> {
  if (!link.offers(shape.capability)) return [];
  const found = new Map<string, ListedDefinition>();
  const cursors = new Set<string>();
  const deadline = clock.elapsed() + limits.listTimeoutMs;
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    const result = await link
      .request({
        method: shape.method,
        params: cursor === undefined ? {} : { cursor },
        timeoutMs: Math.max(1, deadline - clock.elapsed()),
        agent: { capabilities: {} },
        signal,
      })
      .catch((error) => {
        if (!isEnd(error, page, cursor)) throw error;
        return {};
      });
    collect(result, shape, found, all);
    const next = (result as ListedDefinition).nextCursor;
    if (typeof next !== 'string') return [...found.values()];
    if (cursors.has(next)) {
      all.warn(`${shape.method} gave the same cursor twice; the walk stopped there.`);
      return [...found.values()];
    }
    cursors.add(next);
    cursor = next;
    if (page + 1 >= limits.maxPages) throw endless(link.server, shape.method, found.size);
  }
}

/**
 * A server may offer resources without templates: an unknown method is an empty list. An empty cursor is one like any other, but
 * some servers write it at their last page, and then know no such cursor. Any other error is no end.
 */
function isEnd(error: unknown, page: number, cursor: string | undefined): boolean {
  if (!(error instanceof RpcError)) return false;
  return page === 0 ? error.code === rpcCodes.methodNotFound : error.code === rpcCodes.invalidParams && cursor === '';
}

function collect(result: object, shape: ListShape, found: Map<string, ListedDefinition>, all: Findings): void {
  const items = (result as ListedDefinition)[shape.member];
  for (const item of Array.isArray(items) ? items : []) {
    const key = isObject(item) ? item[shape.key] : undefined;
    if (typeof key !== 'string' || key === '' || key.length > 1_024)
      all.warn(`${shape.method} has an item without a usable ${shape.key}.`);
    else if (isTooDeep(item)) all.warn(`${key} is left out: it is nested deeper than ${maxJsonDepth} levels.`);
    else if (!found.has(key)) {
      if (found.size >= limits.maxItemsPerList) throw endless(all.server, shape.method, found.size);
      all.weigh(item, shape.method);
      found.set(key, item);
    }
  }
}

function endless(server: string, method: string, count: number): GatewayError {
  return new GatewayError(
    'SERVER_NOT_RUNNING',
    `Server "${server}" has no end to its ${method}: stopped after ${count} items.`,
    {
      hint: `At most ${limits.maxPages} pages and ${limits.maxItemsPerList} items are read; Toolcrib keeps the list it had.`,
      data: { reason: 'endless-list' },
    },
  );
}

/** Shared by all lists of one server: a size that they must not exceed together, and what was left out. */
class Findings {
  readonly server: string;
  readonly warnings: string[] = [];
  #chars = 0;

  constructor(server: string) {
    this.server = server;
  }

  warn(text: string): void {
    if (this.warnings.length < limits.maxListWarnings) this.warnings.push(text);
  }

  weigh(item: ListedDefinition, method: string): void {
    this.#chars += JSON.stringify(item).length;
    if (this.#chars <= limits.maxListedChars) return;
    throw new GatewayError('TOO_LARGE', `Server "${this.server}" lists too much: its ${method} was not read on.`, {
      hint: `At most ${limits.maxListedChars} characters are read of all its lists; Toolcrib keeps the lists it had.`,
      data: { reason: 'endless-list' },
    });
  }
}

/** The protocol has us leave out a tool whose header annotations are not allowed, and keep the others. */
function isCallable(tool: ListedDefinition, all: Findings): boolean {
  const scan = scanParamHeaders(tool.inputSchema);
  if (!('fault' in scan)) return true;
  all.warn(`Tool "${String(tool.name)}" is left out: ${scan.fault}`);
  return false;
}
