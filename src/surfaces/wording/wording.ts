/** Words about servers, agents, definitions that changed, searches, tools, calls that wait and the optimizer, the same in the terminal and on the pages. */

export { type CallReply, callAnswers, callerInWords, cutInWords, sessionInWords } from './approval-words.ts';
export { agentSetups, claudeParts, tokenInWords, waysOn } from './connect-agents.ts';
export {
  type CandidateResults,
  type ComparedFigures,
  dotsOf,
  figuresFor,
  isActiveJob,
  nameWithin,
  type PromptShare,
  type PromptWording,
  promptClasses,
  type ReportedServer,
  type ReportedTool,
  type ShownReport,
  sayClasses,
  sayEvidence,
  sayGain,
  sayShare,
  shareOfClass,
  signOf,
  statusWords,
  type ToolResults,
  titleWithLength,
  triedWordings,
} from './optimizer-figures.ts';
export {
  type Job,
  percentDone,
  renderJob,
  sayEnd,
  sayEstimate,
  sayFigures,
  sayJob,
  sayTools,
} from './optimizer-words.ts';
export { isSchema, joinSchemas, resolveSchema, type Schema } from './resolve-schema.ts';
export { rowsOfSchema, type SchemaRow } from './schema-rows.ts';
export { isLocalMode, leftOutWords, saySegments, segmentsOf } from './search-words.ts';
export {
  changesIn,
  emptyServerForm,
  type FormProblems,
  formOf,
  type NamedValue,
  noteOnLine,
  problemsIn,
  type ServerForm,
  specOf,
  splitLine,
} from './server-form.ts';
export {
  connectionInWords,
  isPassing,
  lastErrorOf,
  refreshInWords,
  waitingIn,
  warnOfDetour,
  whyFixed,
} from './server-words.ts';
export {
  changeKey,
  changesInUpgrade,
  countStates,
  decisionOrders,
  isUndecided,
  isWaiting,
  type ServerChanges,
  sortChanges,
} from './sort-changes.ts';
export { claimsInWords, isDefinitionReadable, toolStateInWords } from './tool-words.ts';
export { chosenPermissions, findingsInWords, offersInWords, trialAdvice, verdictWords } from './trial-words.ts';

import type { ChangeHistory, DefinitionChange, LiveServer, ServerUpgrade } from '../../admin/admin.ts';

const states: Readonly<Record<DefinitionChange['state'], string>> = {
  changed: 'changed since it was approved; calls are refused',
  held: 'withheld; nobody can see or call it',
  rejected: 'rejected; it stays as it was approved',
  approved: 'worth a look; agents can use it',
};

/** How a definition stands, and what that means for agents. */
export function stateInWords({
  state,
  approvedFingerprint,
}: Pick<DefinitionChange, 'state' | 'approvedFingerprint'>): string {
  if (state === 'rejected' && approvedFingerprint === null) return 'rejected; nobody can see or call it';
  return states[state];
}

const shortStates: Readonly<Record<DefinitionChange['state'], string>> = {
  changed: 'on hold',
  held: 'withheld',
  approved: 'worth a look',
  rejected: 'rejected',
};

/** The same in a word or two. */
export function stateInShort({ state }: Pick<DefinitionChange, 'state'>): string {
  return shortStates[state];
}

/** More to know about a definition before deciding. */
export function remarksAbout({ times, isOffered }: Pick<DefinitionChange, 'times' | 'isOffered'>): string[] {
  return [
    ...(times > 1 ? [`It changed back and forth ${times} times.`] : []),
    ...(isOffered ? [] : ['The server does not offer it at the moment.']),
  ];
}

/** Definitions that wait for the owner or are worth a look. */
export function definitionsToReview({
  heldCount,
  changedCount,
  markedCount,
}: Pick<LiveServer, 'heldCount' | 'changedCount' | 'markedCount'>): number {
  return heldCount + changedCount + markedCount;
}

const happened: Readonly<Record<string, string>> = { added: 'added', updated: 'changed', removed: 'removed' };

/** The change that a server made to a definition. */
export function changeInWords(change: NonNullable<ChangeHistory['change']>): string {
  return happened[change] ?? change;
}

const acts: Readonly<Record<string, string>> = {
  held: 'withheld',
  passed: 'passed',
  marked: 'passed, and is worth a look',
  upgraded: 'upgraded',
  changed: 'held for a decision',
  returned: 'is again what was approved',
  approved: 'accepted',
  rejected: 'rejected',
  undone: 'decision undone',
};

/** The outcome. */
export function actInWords({ act, grade }: { readonly act: string; readonly grade: string | null }): string {
  return `${acts[act] ?? act}${act === 'passed' && grade !== null ? ` (${grade})` : ''}`;
}

/** The change and what became of it. */
export function historyInWords({ change, act, grade }: ChangeHistory): string {
  const words = [
    ...(change === null ? [] : [changeInWords(change)]),
    ...(act === null ? [] : [actInWords({ act, grade })]),
  ];
  return words.join(', ');
}

/** Where in the definition, and why that is worth a look. */
export function sayReason({
  where,
  sentence,
}: Pick<DefinitionChange['reasons'][number], 'where' | 'sentence'>): string {
  return where === '' ? sentence : `${placeInWords(where)}: ${sentence}`;
}

/** How much an upgrade brought, and what became of that. */
export function upgradeInWords({ added, changed, removed, waiting, marked }: ServerUpgrade): string {
  const passed = Math.max(0, added.length + changed.length - waiting - marked);
  const brought = counted([
    [added.length, 'new'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
  ]);
  const fates = counted([
    [waiting, waiting === 1 ? 'waits for you' : 'wait for you'],
    [marked, marked === 1 ? 'is worth a look' : 'are worth a look'],
    [passed, 'passed'],
  ]);
  return `${brought}. ${fates}.`;
}

function counted(counts: readonly (readonly [count: number, words: string])[]): string {
  return counts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`])).join(', ');
}

/** A path as a person speaks of it. */
export function placeInWords(where: string): string {
  if (where === '') return 'all of it';
  const parts = where.replace(/~$/, ', its name').split('.');
  const [first = '', ...rest] = parts;
  if (first === 'inputSchema' || first === 'outputSchema') {
    const names = rest.flatMap((part, at) => (rest[at - 1] === 'properties' ? [part] : []));
    const last = rest.lastIndexOf('properties') + 2;
    const detail = names.length === 0 ? rest : rest.slice(last);
    const thing = first === 'inputSchema' ? 'parameter' : 'answer';
    const whole = first === 'inputSchema' ? 'parameters' : 'answer';
    const named = names.length === 0 ? whole : `${thing} ${names.join('.')}`;
    return detail.length === 0 ? named : `${named}, ${detail.join('.')}`;
  }
  if (first === 'annotations' && rest[0]?.endsWith('Hint')) return `hint ${rest.join('.')}`;
  return parts.join('.');
}
