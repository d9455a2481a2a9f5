/** Every command, in the order in which help shows them. */

import type { Command } from './command.ts';
import { add } from './commands/add.ts';
import { allow, approvals, approve, deny, forget, refuseCommand } from './commands/approvals.ts';
import { audit } from './commands/audit.ts';
import { auth } from './commands/auth.ts';
import { browserEnd, browserList } from './commands/browsers.ts';
import { call } from './commands/call.ts';
import { chain } from './commands/chain.ts';
import { configCheck, configPath, configSchema } from './commands/config.ts';
import { doctor } from './commands/doctor.ts';
import { completions, help, versionCommand } from './commands/help.ts';
import { metrics, usage } from './commands/metrics.ts';
import { open, signIn } from './commands/open.ts';
import {
  optimizeCancel,
  optimizeCandidates,
  optimizeExport,
  optimizeImport,
  optimizeJobs,
  optimizePromote,
  optimizePrompts,
  optimizeReport,
  optimizeRevert,
  optimizeRun,
} from './commands/optimize.ts';
import { projectCreate, projectList, projectRemove, projectSet } from './commands/projects.ts';
import { changes, reject, review, reviewAccept, reviewReject, reviewUndo } from './commands/review.ts';
import { recommendCommand, search } from './commands/search.ts';
import { secretList, secretRemove, secretSet } from './commands/secrets.ts';
import { disable, enable, list, refresh, remove, set, showServer } from './commands/servers.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { stdio } from './commands/stdio.ts';
import { tokenCreate, tokenList, tokenRevoke } from './commands/tokens.ts';
import { info, tools } from './commands/tools.ts';

export const commands: readonly Command[] = [
  start,
  status,
  open,
  signIn,
  stdio,
  add,
  list,
  showServer,
  set,
  remove,
  enable,
  disable,
  refresh,
  secretSet,
  secretList,
  secretRemove,
  auth,
  review,
  reviewAccept,
  reviewReject,
  reviewUndo,
  changes,
  reject,
  tools,
  search,
  recommendCommand,
  info,
  call,
  chain,
  approvals,
  approve,
  deny,
  forget,
  allow,
  refuseCommand,
  metrics,
  usage,
  audit,
  optimizeReport,
  optimizePrompts,
  optimizeCandidates,
  optimizeRun,
  optimizeJobs,
  optimizeCancel,
  optimizePromote,
  optimizeRevert,
  optimizeExport,
  optimizeImport,
  tokenCreate,
  tokenList,
  tokenRevoke,
  browserList,
  browserEnd,
  projectCreate,
  projectList,
  projectSet,
  projectRemove,
  doctor,
  configCheck,
  configPath,
  configSchema,
  completions,
  versionCommand,
  help,
];
