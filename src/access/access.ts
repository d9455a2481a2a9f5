/** Access: tokens, principals, projects, and the one rule for tools. */

export { AccessBook, type TokenOrigin } from './access-book.ts';
export {
  type ApprovalGrant,
  approvalAnswers,
  type CallToApprove,
  type SentParts,
  toolKeyOfCall,
} from './approvals/approval.ts';
export { ApprovalBook } from './approvals/approval-book.ts';
export type { ApprovalDecision, ApprovalQuestion } from './approvals/question.ts';
export { escapeUnseen, type ShownJson } from './approvals/shown-json.ts';
export {
  type AccessRefusal,
  authorize,
  isExposed,
  isInProject,
  mayHideTools,
  refusalOf,
  serverRefusalOf,
} from './authorize.ts';
export { IssuerAccess, type TokenIssuerFacts } from './oauth/issuer-access.ts';
export { readsAsOwn } from './own-names.ts';
export { isAmong, isPattern } from './pattern.ts';
export { everybody, lackingScope, type Principal, type Scope, scopeNames } from './principal.ts';
export { type Project, projectFrom, projectOf, whyClosed } from './project.ts';
export { ProjectBook } from './project-book.ts';
export { RateLimit } from './rate-limit.ts';
export { refuseSecretName, SecretBook } from './secret-book.ts';
export { TokenBook } from './token-book.ts';
