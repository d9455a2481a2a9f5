/** `toolcrib doctor`: looks at everything that can be wrong and says what to do about it. */

import type { Finding } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { checkConfig } from '../checks/check-config.ts';
import { checkDataFolder } from '../checks/check-data-folder.ts';
import { checkGateway, type GatewayCheck } from '../checks/check-gateway.ts';
import { checkNode } from '../checks/check-node.ts';
import { checkPort } from '../checks/check-port.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { defaultHost, defaultPort } from '../listen-address.ts';
import { showProgress } from '../progress.ts';
import { renderFindings } from '../render-findings.ts';
import { withAdmin } from '../with-admin.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Find out what is wrong and what to do about it',
  description: 'Servers that are not connected are tried, which is the only way to know whether they work.',
  flags: { 'no-connect': { summary: 'Do not try servers that are not connected' } },
  examples: [
    { line: 'doctor', meaning: 'Looks at Node, data folder, config, gateway and every server.' },
    { line: 'doctor --no-connect', meaning: 'The same without starting anything.' },
  ],
  async run({ flags, context }) {
    const findings = await showProgress(context.host.stderr, 'Looking', () =>
      examineAll(context, !flags['no-connect']),
    );
    const isWell = findings.every((finding) => finding.severity !== 'problem');
    return {
      data: { findings },
      text: renderFindings(findings, context.style),
      exitCode: isWell ? exitCodes.ok : exitCodes.failed,
    };
  },
});

async function examineAll(context: CommandContext, isConnecting: boolean): Promise<Finding[]> {
  const { env, cwd, signal } = context.host;
  const { dataDir } = context;
  const surroundings = await Promise.all([checkNode(env), checkDataFolder(dataDir)]);
  const config = await checkConfig({ path: context.configPath, cwd, env, dataDir });
  const gateway = await checkGateway(dataDir, signal);
  const port = gateway.holder === null ? [await checkPort(defaultHost, defaultPort, env)] : [];
  const own = [...surroundings.flat(), ...config, ...gateway.findings, ...port];
  if (!canAsk(own, gateway)) return own;
  return [...own, ...(await askGateway(context, isConnecting))];
}

/** A running gateway can be asked whatever the file says now; without one, all of this is needed to look further. */
function canAsk(own: readonly Finding[], gateway: GatewayCheck): boolean {
  if (gateway.holder !== null) return true;
  return !gateway.isStuck && own.every(({ severity }) => severity !== 'problem');
}

async function askGateway(context: CommandContext, connect: boolean): Promise<readonly Finding[]> {
  try {
    const diagnosis = await withAdmin(context, ({ admin }) => admin.run('gateway.doctor', { connect }));
    return diagnosis.findings;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === 'CANCELLED') throw error;
    return [{ severity: 'problem', subject: 'gateway', message: error.message, hint: error.hint }];
  }
}
