/** Every command, in the order in which help shows them. */

import type { Command } from './command.ts';
import { add } from './commands/add.ts';
import { allow, approvals, approve, deny, forget, refuseCommand } from './commands/approvals.ts';
import { audit } from './commands/audit.ts';
import { auth } from './commands/auth.ts';
import { call } from './commands/call.ts';
import { chain } from './commands/chain.ts';
import { completions } from './commands/completions.ts';
import { configCheck, configPath, configSchema } from './commands/config.ts';
import { doctor } from './commands/doctor.ts';
import { disable, enable } from './commands/enable.ts';
import { help } from './commands/help.ts';
import { info } from './commands/info.ts';
import { list } from './commands/list.ts';
import { metrics } from './commands/metrics.ts';
import {
  optimizeCandidates,
  optimizeExport,
  optimizeImport,
  optimizePromote,
  optimizePrompts,
  optimizeRevert,
} from './commands/optimize.ts';
import { projectCreate, projectList, projectRemove, projectSet } from './commands/projects.ts';
import { recommendCommand } from './commands/recommend.ts';
import { refresh } from './commands/refresh.ts';
import { remove } from './commands/remove.ts';
import { changes, reject, review, reviewAccept, reviewReject, reviewUndo } from './commands/review.ts';
import { search } from './commands/search.ts';
import { secretList, secretRemove, secretSet } from './commands/secrets.ts';
import { set } from './commands/set.ts';
import { showServer } from './commands/show.ts';
import { signIn } from './commands/sign-in.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { stdio } from './commands/stdio.ts';
import { tokenCreate, tokenList, tokenRevoke } from './commands/tokens.ts';
import { tools } from './commands/tools.ts';
import { usage } from './commands/usage.ts';
import { versionCommand } from './commands/version.ts';

export const commands: readonly Command[] = [
  start,
  status,
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
  optimizePrompts,
  optimizeCandidates,
  optimizePromote,
  optimizeRevert,
  optimizeExport,
  optimizeImport,
  tokenCreate,
  tokenList,
  tokenRevoke,
  signIn,
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
