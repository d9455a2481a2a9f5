/** Diagnoses descriptions without a model: what each leaves open, which tools are taken for it, what traffic says, what a better one may gain. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { plural } from '../base/plural.ts';
import { givenText } from '../base/text.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { StoredPrompt } from '../store/store.ts';
import type { DescriptionJudge } from './judge.ts';
import { type Question, questions, type Rating, rateDescription } from './rate-description.ts';
import type { ToolTraffic } from './traffic.ts';

/** Another tool that comes first for prompts of this one. */
export interface Confusion {
  /** `server:tool`. */
  readonly tool: string;
  readonly prompts: number;
}

/** How the prompts of a tool are answered with the description that agents read now. */
export interface PromptFinding {
  /** Prompts that should lead to the tool, and those that do. */
  readonly all: number;
  readonly right: number;
  /** The most frequent first. */
  readonly confusions: readonly Confusion[];
}

export interface ToolDiagnosis {
  readonly says: Rating;
  /** How many of the six questions are answered. */
  readonly answered: number;
  /** null: there are no prompts. */
  readonly finding: PromptFinding | null;
  readonly traffic: {
    readonly calls: number;
    readonly argumentErrors: number;
    readonly calledThenAnother: number;
    readonly foundNotTaken: number;
  };
  /** Calls or prompts that a right description would win; only their order means something. */
  readonly expectedGain: number;
  readonly advice: readonly string[];
}

/** Has the judge choose a tool for every prompt that should lead to one of these. By `server:tool`. */
export async function findConfusions(
  judge: DescriptionJudge,
  tools: readonly Entry[],
  prompts: readonly StoredPrompt[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PromptFinding>> {
  await judge.begin(signal);
  const findings = new Map<string, PromptFinding>();
  for (const { server, serverName: toolName, definition } of tools) {
    const own = prompts.filter((one) => one.server === server && one.toolName === toolName);
    const wanted = own.filter(({ expectedBehavior }) => expectedBehavior.shouldCallTool);
    if (wanted.length === 0) continue;
    const wording = { server, toolName, description: givenText(definition.description) };
    const address = `${server}:${toolName}`;
    const taken = new Map<string, number>();
    let right = 0;
    for (const { prompt } of wanted) {
      await giveWay();
      const { tool } = await judge.choose(wording, prompt, signal);
      if (tool === address) right += 1;
      else if (tool !== null) taken.set(tool, (taken.get(tool) ?? 0) + 1);
    }
    const confusions = [...taken].map(([tool, count]) => ({ tool, prompts: count }));
    confusions.sort((a, b) => b.prompts - a.prompts || (a.tool < b.tool ? -1 : 1));
    findings.set(address, { all: wanted.length, right, confusions });
  }
  return findings;
}

export interface DiagnosisSource {
  readonly finding: PromptFinding | undefined;
  readonly traffic: ToolTraffic | undefined;
  readonly foundNotTaken: number;
}

/** The cost of an unanswered question where nothing was measured: a guess that orders tools, nothing more. */
const costOfQuestion = 0.05;

export function diagnose(definition: Entry['definition'], source: DiagnosisSource): ToolDiagnosis {
  const { finding = null, traffic, foundNotTaken } = source;
  const says = rateDescription({ ...definition, name: String(definition.name) });
  const open = (Object.keys(questions) as Question[]).filter((question) => !says[question]);
  const calls = traffic?.calls ?? 0;
  const { argumentErrors = 0, confused: calledThenAnother = 0 } = traffic ?? {};
  const missed = finding ? 1 - finding.right / finding.all : open.length * costOfQuestion;
  const lost = argumentErrors + calledThenAnother + foundNotTaken;
  return {
    says,
    answered: Object.keys(questions).length - open.length,
    finding,
    traffic: { calls, argumentErrors, calledThenAnother, foundNotTaken },
    expectedGain: Math.round((missed * (1 + Math.log2(1 + calls + lost)) + lost) * 100) / 100,
    advice: adviceOn(open, finding, argumentErrors),
  };
}

function adviceOn(open: readonly Question[], finding: PromptFinding | null, argumentErrors: number): string[] {
  const [rival] = finding?.confusions ?? [];
  return [
    ...(rival
      ? [`Say how it differs from ${rival.tool}, which is found instead for ${plural(rival.prompts, 'prompt')}.`]
      : []),
    ...(open.length === 0 ? [] : [`Say ${open.map((question) => questions[question]).join('; ')}.`]),
    ...(argumentErrors === 0
      ? []
      : [`Say what the arguments look like: ${plural(argumentErrors, 'call')} had wrong ones.`]),
  ];
}
