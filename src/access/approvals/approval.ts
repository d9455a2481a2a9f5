/** Approvals of single calls: the request, the possible answers, and how far an answer reaches. */

import type { StoredApproval } from '../../store/store.ts';
import type { Principal } from '../principal.ts';
import type { Project } from '../project.ts';

/** `once`: this very call. `session` and `always`: every call of this tool by the same principal, with any arguments. */
export const approvalAnswers = ['once', 'session', 'always', 'refuse'] as const;
export type ApprovalAnswer = (typeof approvalAnswers)[number];

/** Who is asked: the person at the agent (the owner sees it too), or the owner alone. */
export type Approver = 'agent' | 'owner';

/** As much of a principal as an approval needs; another gateway may have let it in. */
export interface ApprovalCaller extends Pick<Principal, 'id' | 'name'> {
  readonly project?: Pick<Project, 'name'> | undefined;
}

/** A call that needs approval. */
export interface CallToApprove {
  readonly principal: ApprovalCaller;
  readonly session: string;
  /** True for a session that ends; else it only stands for the principal. */
  readonly isSessionReal: boolean;
  /** The program as it names itself, and its request: for people to read. */
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  readonly server: string;
  /** The name by which the server knows the tool. */
  readonly tool: string;
  /** Identifies the definition behind the name: changes with the server and with the definition. */
  readonly definition: string;
  /** A hash of all that is sent to the server. The arguments themselves may be long, and are kept only as they are shown. */
  readonly sent: string;
}

/** The parts of such a call that a person must see before approving it. */
export interface SentParts {
  readonly arguments?: unknown;
  /** Everything else that reaches the server as the agent wrote it; undefined if nothing does. */
  readonly beside?: Readonly<Record<string, unknown>> | undefined;
}

/** A standing approval. */
export interface ApprovalGrant extends StoredApproval {
  readonly holds: 'always' | 'session';
  /** Until when, by the wall clock; null: always, or until the session ends. */
  readonly until: number | null;
  /** The program whose session it is, as it names itself; null: any. */
  readonly client: string | null;
}

export function toolKeyOfCall({ server, tool }: Pick<CallToApprove, 'server' | 'tool'>): string {
  return `${server}:${tool}`;
}

/** The same text for the same call of the same principal, and for nothing else. */
export function markOfCall(call: CallToApprove): string {
  return `${markOfDefinition(call)} ${call.sent}`;
}

/** The same text for every call of one tool by one principal in one session. */
export function markInSession(call: CallToApprove): string {
  return `${markOfDefinition(call)} ${call.session}`;
}

/** The prefix of the marks of all calls of one tool, in its current definition, by one principal. */
export function markOfDefinition(call: CallToApprove): string {
  return JSON.stringify([call.principal.id, projectNameOf(call.principal), toolKeyOfCall(call), call.definition]);
}

/** The same text for every call of one tool by one principal. */
export function markOfTool(principal: string, project: string | null, toolKey: string): string {
  return JSON.stringify([principal, project, toolKey]);
}

export function projectNameOf({ project }: ApprovalCaller): string | null {
  return project?.name ?? null;
}
