/** `toolcrib service`: has the system run the gateway whenever its user logs in. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GatewayError, systemCodeOf } from '../../../base/errors.ts';
import { homeOf, makeFolder } from '../../../base/folders.ts';
import { outputOf } from '../../../base/spawn.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { type ReachableHolder, settledHolder } from '../lock-state.ts';
import { tellProgress } from '../progress.ts';
import { planService, type ServicePlan, type Step } from '../setup/login-plan.ts';

/** Stopping waits for running calls. */
const stepLimitMs = 60_000;
const startLimitMs = 20_000;
const lookAgainMs = 50;

export const serviceInstall = defineCommand({
  name: 'service install',
  summary: 'Start the gateway now and whenever you log in',
  isOrder: true,
  description:
    'Writes a systemd user unit on Linux, a launch agent on macOS. Needs no root. The service uses this data folder and this --config, gets the PATH of this shell and no other variable, and listens where the config says. The system restarts it after a failure, but not after "toolcrib stop".',
  examples: [{ line: 'service install', meaning: 'From now on the gateway is there when you are.' }],
  async run({ context }) {
    const plan = planFor(context);
    const running = await settledHolder(context.dataDir, context.host.signal);
    if (running !== null) {
      throw new GatewayError(
        'DATA_LOCKED',
        `A gateway is already running at ${running.url} (process ${running.pid}).`,
        {
          hint: 'Stop it first: toolcrib stop',
        },
      );
    }
    const before = await ownText(plan);
    await makeFolder(context.dataDir);
    await mkdir(dirname(plan.file), { recursive: true });
    for (const step of plan.clear) await tryStep(step, context);
    await writeFile(plan.file, plan.text);
    try {
      for (const step of plan.begin) await runStep(step, context);
    } catch (error) {
      await putBack(plan, before, context);
      throw error;
    }
    const { url } = await tellProgress(context.notes, 'Starting the gateway', () => untilStarted(context));
    const more = plan.remark === null ? '' : `\n${plan.remark}`;
    return {
      data: { file: plan.file, url },
      text: `The gateway runs at ${url}, and whenever you log in.\nIts service is in ${plan.file}.${more}`,
    };
  },
});

export const serviceUninstall = defineCommand({
  name: 'service uninstall',
  summary: 'Stop the gateway, and no longer start it at login',
  isOrder: true,
  examples: [{ line: 'service uninstall', meaning: 'Removes what "service install" has written.' }],
  async run({ context }) {
    const plan = planFor(context);
    const { file } = plan;
    const isInstalled = (await ownText(plan)) !== null;
    if (isInstalled) {
      for (const step of plan.end) await runStep(step, context);
      await rm(file, { force: true });
    }
    const text = isInstalled ? `Removed ${file}. The gateway has stopped.` : 'No service is installed.';
    return { data: { file, isRemoved: isInstalled }, text };
  },
});

export const serviceStatus = defineCommand({
  name: 'service status',
  summary: 'Show if the gateway starts at login and if it is running',
  description: 'Exits with code 5 if the service is not running.',
  examples: [{ line: 'service status', meaning: 'The file of the service, and its state.' }],
  async run({ context }) {
    const plan = planFor(context);
    const isInstalled = (await textOf(plan.file)) !== null;
    const isActive = isInstalled && (await tryStep(plan.probe, context));
    const state = isActive ? 'The service is running' : 'The service is installed but not running';
    return {
      data: { file: plan.file, isInstalled, isActive },
      text: isInstalled ? `${state}: ${plan.file}` : 'No service is installed. Install it: toolcrib service install',
      exitCode: isActive ? exitCodes.ok : exitCodes.unreachable,
    };
  },
});

/** Its log is in a file, so it is silent on stderr: only the reason of a start that failed appears there. */
function planFor({ dataDir, configPath, host: { env, cwd } }: CommandContext): ServicePlan {
  const program = fileURLToPath(new URL('../../../../bin/toolcrib.js', import.meta.url));
  const config = configPath === undefined ? [] : ['--config', resolve(cwd, configPath)];
  const command = [process.execPath, program, 'start', '--data', dataDir, ...config, '--log-level', 'silent'];
  const { platform } = process;
  return planService({ platform, home: homeOf(env), env, uid: process.getuid?.() ?? 0 }, { command, dataDir });
}

async function runStep(step: Step, context: CommandContext): Promise<void> {
  if (await tryStep(step, context)) return;
  const line = step.join(' ');
  throw new GatewayError('UNREACHABLE', `The command "${line}" failed, so nothing was changed.`, {
    hint: `Run it yourself to see why. Without a service manager, start the gateway by hand: toolcrib start`,
  });
}

async function tryStep([program, ...args]: Step, { host: { env } }: CommandContext): Promise<boolean> {
  return (await outputOf(program, args, { env, timeoutMs: stepLimitMs })) !== null;
}

async function untilStarted({ dataDir, host: { signal } }: CommandContext): Promise<ReachableHolder> {
  const until = performance.now() + startLimitMs;
  for (;;) {
    const holder = await settledHolder(dataDir, signal);
    if (holder !== null) return holder;
    if (performance.now() > until) {
      throw new GatewayError('UNREACHABLE', 'The service is installed, but its gateway has not started.', {
        hint: 'Start it in the foreground to see why: toolcrib start',
      });
    }
    await pause(lookAgainMs, undefined, { signal });
  }
}

/** As it was before an install that failed: a file that stays could start the gateway at some later login. */
async function putBack(plan: ServicePlan, before: string | null, context: CommandContext): Promise<void> {
  // Best effort: the service manager has just failed.
  if (before === null) {
    for (const step of plan.end) await tryStep(step, context);
    await rm(plan.file, { force: true });
  } else {
    await writeFile(plan.file, before);
    for (const step of plan.restore) await tryStep(step, context);
  }
}

/** The file of the service; null: there is none. Throws NAME_TAKEN for one of another data folder. */
async function ownText({ file, folderMark }: ServicePlan): Promise<string | null> {
  const text = await textOf(file);
  if (text === null || text.includes(folderMark)) return text;
  throw new GatewayError('NAME_TAKEN', `${file} belongs to another data folder; nothing was changed.`, {
    hint: 'Find the folder there, under WorkingDirectory, and run: toolcrib service uninstall --data FOLDER',
  });
}

async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error) => {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new GatewayError('USAGE', `${file} can't be read (${systemCodeOf(error)}).`, { cause: error });
  });
}
