/** Every command, in the sections and the order in which help shows them. */

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
import { completions, help, names, versionCommand } from './commands/help.ts';
import { importCommand } from './commands/import.ts';
import { init } from './commands/init.ts';
import { install, uninstall } from './commands/install.ts';
import { logs } from './commands/logs.ts';
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
import { serviceInstall, serviceStatus, serviceUninstall } from './commands/run-at-login.ts';
import { recommendCommand, search } from './commands/search.ts';
import { secretList, secretRemove, secretSet } from './commands/secrets.ts';
import { disable, enable, list, refresh, remove, set, showServer } from './commands/servers.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { stdio } from './commands/stdio.ts';
import { stop } from './commands/stop.ts';
import { storeCopy } from './commands/store.ts';
import { tokenCreate, tokenList, tokenRevoke } from './commands/tokens.ts';
import { info, tools } from './commands/tools.ts';
import { trust } from './commands/trust.ts';
import { tui } from './commands/tui.ts';

/** Commands that help shows under one title. */
export interface CommandSection {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** All that `toolcrib` alone shows: the commands of the first day. */
export const firstSteps: CommandSection = {
  title: 'First steps',
  commands: [start, init, add, install, open],
};

export const commandSections: readonly CommandSection[] = [
  firstSteps,
  {
    title: 'The gateway',
    commands: [
      ...[status, stop, logs, tui, serviceInstall, serviceUninstall, serviceStatus, stdio, signIn],
      ...[doctor, trust, configCheck, configPath, configSchema, storeCopy],
    ],
  },
  {
    title: 'Servers',
    commands: [
      ...[importCommand, list, showServer, set, remove, enable, disable, refresh],
      ...[secretSet, secretList, secretRemove, auth],
    ],
  },
  { title: 'Agents', commands: [uninstall] },
  { title: 'Tools, as agents find and call them', commands: [tools, search, recommendCommand, info, call, chain] },
  {
    title: 'Review and approval',
    commands: [
      ...[review, reviewAccept, reviewReject, reviewUndo, changes, reject],
      ...[approvals, approve, deny, forget, allow, refuseCommand],
    ],
  },
  { title: 'What happened', commands: [metrics, usage, audit] },
  {
    title: 'Access',
    commands: [
      ...[tokenCreate, tokenList, tokenRevoke, browserList, browserEnd],
      ...[projectCreate, projectList, projectSet, projectRemove],
    ],
  },
  {
    title: 'Better descriptions',
    commands: [
      ...[optimizeReport, optimizePrompts, optimizeCandidates, optimizeRun, optimizeJobs, optimizeCancel],
      ...[optimizePromote, optimizeRevert, optimizeExport, optimizeImport],
    ],
  },
  { title: 'This program', commands: [completions, names, versionCommand, help] },
];

export const commands: readonly Command[] = commandSections.flatMap((section) => section.commands);
