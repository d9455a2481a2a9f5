/** Access: tokens, principals, projects, and the one rule for tools. */

export { AccessControl, type TokenOrigin } from './access-control.ts';
export {
  type ApprovalGrant,
  approvalAnswers,
  type CallToApprove,
  type SentParts,
  toolKeyOfCall,
} from './approvals/approval.ts';
export type { ApprovalDecision, ApprovalRequest } from './approvals/approval-request.ts';
export { Approvals } from './approvals/approvals.ts';
export { escapeUnseen, type ShownJson } from './approvals/shown-json.ts';
export {
  type AccessRefusal,
  authorize,
  isExposed,
  isInProject,
  mayHideTools,
  permissionOfServer,
  refusalOf,
  serverRefusalOf,
} from './authorize.ts';
export { browserIdOf, type CodeState, publicPageOf } from './browser-sign-ins.ts';
export { FileTokens } from './file-tokens.ts';
export { NamedSecrets, refuseSecretName } from './named-secrets.ts';
export { IssuerAccess, type TokenIssuerFacts } from './oauth/issuer-access.ts';
export { readsAsOwn } from './own-names.ts';
export { everybody, lackingScope, type Principal, type Scope, scopeNames } from './principal.ts';
export { type Project, projectFrom, projectOf, whyClosed } from './project.ts';
export { Projects } from './projects.ts';
export { RateLimit } from './rate-limit.ts';
