/** Chooses other tools for the purpose of one that failed: what may be suggested at all, in which order, and why. */

import type { ErrorCode } from '../../base/errors.ts';
import { jsonSize } from '../../base/json.ts';
import { cutAtWord, printable } from '../../base/text.ts';
import type { AlternativeTool } from '../../caller/caller.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { type Effect, effectOf, isStronger } from './effect-of.ts';
import { type Alike, similarityOf, type ToolTraits, traitsOf } from './likeness.ts';
import { type MappedArguments, mapArguments, mapParameters } from './map-arguments.ts';
import { countsOf, isFailing, type Reliability, worthOf } from './worth.ts';

/**
 * Below it nothing is suggested. Looking at real tools of other servers, nine in ten of the suggestions could stand in among 500
 * tools, and seven in ten among 20,000. A wrong one that writes costs more than one that reads; what may destroy has to be the same
 * tool elsewhere, or nearly.
 */
const leastSimilarity = { reading: 0.57, writing: 0.65, destroying: 0.75 };
/** The more tools there are, the nearer the nearest of them is to anything: the threshold grows from this number of tools on. */
const crowd = { from: 1_000, perLog: 0.027, most: 0.08 };
/** Tools that are compared in full: the nearest by each kind of likeness. */
const compared = 20;
/** Suggestions that are made at most. */
const mostSuggested = 20;
/** Added to the worth for staying on the same server: enough to decide between equals, and nothing else. */
const sameServerBonus = 0.005;
/** Mapped arguments are given back with a suggestion up to this size in JSON; the agent has the longer ones at hand. */
const mappedBytes = 2_000;

/** Trouble of the whole server: its other tools will not do better. */
const serverTroubles: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SERVER_DISCONNECTED',
  'SERVER_NOT_RUNNING',
  'CIRCUIT_OPEN',
  'TIMEOUT',
  'RATE_LIMITED',
]);

export interface AlternativesRequest {
  readonly failed: Entry;
  /** Those of the failed call; without them nothing is mapped. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly errorType?: ErrorCode | null | undefined;
  readonly limit: number;
  /** True where the reader could call it right now: allowed without asking, on a reachable server. */
  readonly isCallable: (tool: Entry) => boolean;
  readonly reliabilityOf: (tool: Entry) => Reliability | undefined;
}

export interface ToolSource {
  readonly now: number;
  /** How many tools there are. */
  readonly size: number;
  readonly toolOf: (key: string) => Entry | undefined;
  /** Tools like this one; the limit holds for each kind of likeness. */
  readonly alike: (tool: Entry, limit: number, filter: (key: string) => boolean) => Alike[];
  /** True for a server, by name, that is another account of the one that failed. */
  readonly isOtherAccount: (server: string) => boolean;
}

interface Candidate {
  readonly tool: Entry;
  readonly similarity: number;
  readonly worth: number;
}

export function chooseAlternatives(request: AlternativesRequest, source: ToolSource): AlternativeTool[] {
  const limit = Math.min(request.limit, mostSuggested);
  if (!(limit >= 1)) return [];
  const { failed } = request;
  const traits = traitsByTool.of(failed);
  const isWanted = (key: string) => {
    const tool = source.toolOf(key);
    return tool !== undefined && maySuggest(tool, request, source.now);
  };
  const candidates = source.alike(failed, compared, isWanted).flatMap((alike): Candidate[] => {
    const tool = source.toolOf(alike.key);
    const similarity = tool ? similarityOf(traits, traitsByTool.of(tool), alike) : 0;
    if (!tool || similarity < leastFor(effects.of(tool), source.size)) return [];
    const bonus = tool.server === failed.server ? sameServerBonus : 0;
    return [{ tool, similarity, worth: worthOf(similarity, request.reliabilityOf(tool), source.now) + bonus }];
  });
  return onePerTool(candidates.toSorted(byWorth))
    .slice(0, limit)
    .map((candidate) => suggest(candidate, request, source.isOtherAccount(candidate.tool.server)));
}

/** The rules that nothing outweighs. */
function maySuggest(tool: Entry, request: AlternativesRequest, now: number): boolean {
  if (addressOf(tool) === addressOf(request.failed)) return false;
  if (tool.server === request.failed.server && request.errorType && serverTroubles.has(request.errorType)) return false;
  if (isStronger(effects.of(tool), effects.of(request.failed))) return false;
  return request.isCallable(tool) && !isFailing(request.reliabilityOf(tool), now);
}

function suggest(
  { tool, similarity }: Candidate,
  { failed, args, reliabilityOf }: AlternativesRequest,
  otherAccount: boolean,
): AlternativeTool {
  const reliability = reliabilityOf(tool);
  const isSameServer = tool.server === failed.server;
  const [from, to] = [failed.definition.inputSchema, tool.definition.inputSchema];
  const mapped = args && mapArguments(from, to, args);
  const { missing, dropped } = mapped ?? mapParameters(from, to);
  return {
    server: tool.server,
    tool: tool.name,
    toolKey: tool.key,
    similarity: rounded(similarity),
    successRate: reliability?.successRate == null ? null : rounded(reliability.successRate),
    reason: reasonFor({ server: tool.server, isSameServer, otherAccount, similarity, reliability, missing, dropped }),
    ...(otherAccount && { otherAccount }),
    ...(mapped && shown(mapped)),
  };
}

function shown(mapped: MappedArguments): Pick<AlternativeTool, 'arguments' | 'missing'> {
  const isShort = jsonSize(mapped.arguments, mappedBytes) <= mappedBytes;
  return {
    ...(isShort ? { arguments: mapped.arguments } : {}),
    ...(mapped.missing.length > 0 ? { missing: mapped.missing } : {}),
  };
}

/** An alias and the tool that it stands for are one; the better of them is named, or the first by name. */
function onePerTool(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ tool }) => {
    const address = addressOf(tool);
    if (seen.has(address)) return false;
    seen.add(address);
    return true;
  });
}

function byWorth(a: Candidate, b: Candidate): number {
  return b.worth - a.worth || (a.tool.key < b.tool.key ? -1 : 1);
}

function addressOf({ server, serverName }: Entry): string {
  return `${server}:${serverName}`;
}

function leastFor(effect: Effect, size: number): number {
  const crowded = Math.min(crowd.most, crowd.perLog * Math.log(Math.max(1, size / crowd.from)));
  return leastSimilarity[kindOf(effect)] + crowded;
}

function kindOf({ claim, named }: Effect): keyof typeof leastSimilarity {
  if (claim.most === 'destroys' || named?.most === 'destroys') return 'destroying';
  return claim.most === 'adds' || (named !== null && named.most !== 'reads') ? 'writing' : 'reading';
}

/** Values made once per entry: a listing lives longer than many failures. */
class Once<T extends object> {
  readonly #made = new WeakMap<Entry, T>();
  readonly #make: (tool: Entry) => T;

  constructor(make: (tool: Entry) => T) {
    this.#make = make;
  }

  of(tool: Entry): T {
    const known = this.#made.get(tool);
    if (known) return known;
    const made = this.#make(tool);
    this.#made.set(tool, made);
    return made;
  }
}

const effects = new Once<Effect>(({ definition }) => effectOf(definition));
const traitsByTool = new Once<ToolTraits>(({ server, definition }) => traitsOf(server, definition));

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** From here on two tools are said to be for the same. */
const same = 0.7;
/** Fewer calls are given as counts: a share of three says more than it knows. */
const fewCalls = 10;
/** Parameters named, and characters of a name: a server chooses them. */
const named = { parameters: 3, characters: 40 };

export interface Suggestion {
  readonly server: string;
  readonly isSameServer: boolean;
  readonly otherAccount: boolean;
  readonly similarity: number;
  readonly reliability: Reliability | undefined;
  /** Required parameters that could not be filled, and arguments that it has no place for. */
  readonly missing: readonly string[];
  readonly dropped: readonly string[];
}

export function reasonFor(suggestion: Suggestion): string {
  const { server, isSameServer, otherAccount, similarity } = suggestion;
  const purpose = similarity >= same ? 'Same purpose' : 'Similar purpose';
  const account = otherAccount ? ', which is another account or folder' : '';
  const place = isSameServer ? 'the same server' : `server "${server}"${account}`;
  return `${purpose} on ${place}; ${recordOf(suggestion.reliability)}; ${fitOf(suggestion)}.`;
}

function recordOf(reliability: Reliability | undefined): string {
  const { ok, failed } = countsOf(reliability);
  const calls = ok + failed;
  if (calls === 0) return 'not called yet';
  if (calls < fewCalls) return `${ok} of ${calls} call${calls === 1 ? '' : 's'} succeeded`;
  // Rounded down: only what never failed is said to have succeeded always.
  return `${Math.floor((100 * ok) / calls)} % of ${calls} calls succeeded`;
}

function fitOf({ missing, dropped }: Suggestion): string {
  if (missing.length > 0) return `it needs ${listed(missing)} as well`;
  return dropped.length > 0 ? `it does not take ${listed(dropped)}` : 'it takes the same arguments';
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, named.parameters).map((name) => `"${cutAtWord(printable(name), named.characters)}"`);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(' and ');
}
