/** The records of one server as files: pretty to read, safe in their names, and read back by `import-records.ts` without a loss. */

import { fingerprintOf } from '../base/ids.ts';
import type { StoredCandidate, StoredEvalRun, StoredPromotion, StoredPrompt } from '../store/store.ts';
import { canonicalId } from './decide-promotion.ts';

export interface ServerRecords {
  /** The definitions of the server's tools, as it gave them. */
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly candidates: readonly StoredCandidate[];
  readonly prompts: readonly StoredPrompt[];
  readonly runs: readonly StoredEvalRun[];
  readonly promotions: readonly StoredPromotion[];
}

export interface RecordFile {
  /** In the folder of its server, with `/` between its parts. */
  readonly path: string;
  readonly content: unknown;
}

/** Runs of prompts or candidates that are not among these are left out: nobody could read them back. So are marks that hold only here. */
export function exportRecords({ tools, candidates, prompts, runs, promotions }: ServerRecords): RecordFile[] {
  const promptIds = new Set(prompts.map(({ id }) => id));
  const candidateIds = new Set([canonicalId, ...candidates.map(({ id }) => id)]);
  const known = runs
    .filter((run) => promptIds.has(run.promptId) && candidateIds.has(run.candidateId))
    .map(({ key: _key, imported: _imported, reused: _reused, ...run }) => run);
  const runsBy = Map.groupBy(known, (run) =>
    run.candidateId === canonicalId ? `${canonicalId}-${run.toolName}` : run.candidateId,
  );
  const byTool = promotions.map((promotion) => [promotion.toolName, withoutServer(promotion)] as const).sort(byKey);
  return [
    { path: 'canonical-tools.json', content: tools },
    ...filesIn(
      'candidates',
      Map.groupBy(candidates, ({ toolName }) => toolName),
    ),
    ...filesIn(
      'prompts',
      Map.groupBy(prompts, ({ toolName }) => toolName),
    ),
    ...filesIn('eval-runs', runsBy),
    { path: 'promotions.json', content: Object.fromEntries(byTool) },
  ];
}

function filesIn(folder: string, groups: ReadonlyMap<string, readonly { readonly server: string }[]>): RecordFile[] {
  const taken = new Set<string>();
  // In an order that only the names decide, because it decides which of two that meet gets the mark.
  return [...groups].sort(byKey).map(([name, records]) => {
    const path = `${folder}/${fileName(name, taken)}.json`;
    return { path, content: records.map(withoutServer) };
  });
}

/** The folder names the server, so that records can be read into a server with another name. */
function withoutServer({ server: _, ...rest }: { readonly server: string }): Readonly<Record<string, unknown>> {
  const { id, toolName, ...members } = rest as Record<string, unknown>;
  // However a record came about, it reads the same.
  return { ...(id === undefined ? {} : { id }), toolName, ...Object.fromEntries(Object.entries(members).sort(byKey)) };
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

const mostChars = 100;
/** Names that Windows has for devices. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Good on every file system: names that would meet there, in whatever case, get a mark of their own. */
function fileName(name: string, taken: Set<string>): string {
  const plain = encodeURIComponent(name.toWellFormed()).replace(
    /[.!~*'()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  const isGood = plain.length <= mostChars && !reserved.test(plain) && !taken.has(plain.toLowerCase());
  const chosen = isGood ? plain : `${plain.slice(0, mostChars)}~${fingerprintOf(name).slice(0, 12)}`;
  taken.add(chosen.toLowerCase());
  return chosen;
}
