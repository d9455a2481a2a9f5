/** Every command, in the order in which help shows them. */

import type { Command } from './command.ts';
import { add } from './commands/add.ts';
import { call } from './commands/call.ts';
import { chain } from './commands/chain.ts';
import { completions } from './commands/completions.ts';
import { configCheck } from './commands/config-check.ts';
import { configPath } from './commands/config-path.ts';
import { configSchema } from './commands/config-schema.ts';
import { disable } from './commands/disable.ts';
import { doctor } from './commands/doctor.ts';
import { enable } from './commands/enable.ts';
import { help } from './commands/help.ts';
import { info } from './commands/info.ts';
import { list } from './commands/list.ts';
import { metrics } from './commands/metrics.ts';
import { recommend } from './commands/recommend.ts';
import { refresh } from './commands/refresh.ts';
import { remove } from './commands/remove.ts';
import { search } from './commands/search.ts';
import { start } from './commands/start.ts';
import { stdio } from './commands/stdio.ts';
import { tools } from './commands/tools.ts';
import { usage } from './commands/usage.ts';
import { version } from './commands/version.ts';

export const commands: readonly Command[] = [
  start,
  stdio,
  add,
  list,
  remove,
  enable,
  disable,
  refresh,
  tools,
  search,
  recommend,
  info,
  call,
  chain,
  metrics,
  usage,
  doctor,
  configCheck,
  configPath,
  configSchema,
  completions,
  version,
  help,
];
