/** Every command, in the order in which help shows them. */

import type { Command } from './command.ts';
import { add } from './commands/add.ts';
import { approvals } from './commands/approvals.ts';
import { allow, approve } from './commands/approve.ts';
import { audit } from './commands/audit.ts';
import { auth } from './commands/auth.ts';
import { call } from './commands/call.ts';
import { chain } from './commands/chain.ts';
import { completions } from './commands/completions.ts';
import { configCheck } from './commands/config-check.ts';
import { configPath } from './commands/config-path.ts';
import { configSchema } from './commands/config-schema.ts';
import { deny, refuse } from './commands/deny.ts';
import { disable } from './commands/disable.ts';
import { doctor } from './commands/doctor.ts';
import { enable } from './commands/enable.ts';
import { forget } from './commands/forget.ts';
import { help } from './commands/help.ts';
import { info } from './commands/info.ts';
import { list } from './commands/list.ts';
import { metrics } from './commands/metrics.ts';
import { projectCreate } from './commands/project-create.ts';
import { projectList } from './commands/project-list.ts';
import { projectRemove } from './commands/project-remove.ts';
import { projectSet } from './commands/project-set.ts';
import { recommend } from './commands/recommend.ts';
import { refresh } from './commands/refresh.ts';
import { remove } from './commands/remove.ts';
import { changes, review } from './commands/review.ts';
import { reviewAccept } from './commands/review-accept.ts';
import { reject, reviewReject } from './commands/review-reject.ts';
import { reviewUndo } from './commands/review-undo.ts';
import { search } from './commands/search.ts';
import { secretList } from './commands/secret-list.ts';
import { secretRemove } from './commands/secret-remove.ts';
import { secretSet } from './commands/secret-set.ts';
import { set } from './commands/set.ts';
import { showServer } from './commands/show.ts';
import { signIn } from './commands/sign-in.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { stdio } from './commands/stdio.ts';
import { tokenCreate } from './commands/token-create.ts';
import { tokenList } from './commands/token-list.ts';
import { tokenRevoke } from './commands/token-revoke.ts';
import { tools } from './commands/tools.ts';
import { usage } from './commands/usage.ts';
import { version } from './commands/version.ts';

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
  recommend,
  info,
  call,
  chain,
  approvals,
  approve,
  deny,
  forget,
  allow,
  refuse,
  metrics,
  usage,
  audit,
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
  version,
  help,
];
