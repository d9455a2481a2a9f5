/** `toolcrib doctor`: looks at everything that can be wrong and says what to do about it. */

import type { HealthFinding, SurfaceCosts } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { plural } from '../../../base/plural.ts';
import { printable } from '../../../base/text.ts';
import { checkConfig, checkTrust } from '../checks/check-config.ts';
import {
  checkDataFolder,
  checkGateway,
  checkNode,
  checkPort,
  describeUsedConfig,
  type GatewayCheck,
} from '../checks/checks.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { usualAddress, usualUrl } from '../listen-flags.ts';
import { showProgress } from '../progress.ts';
import { renderSurfaces } from '../render-surfaces.ts';
import type { Style } from '../style.ts';
import { configLocation, offerTrust } from '../trusted-config.ts';
import { withAdmin } from '../with-admin.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Find problems and how to fix them',
  description:
    'Connects to each server, to check that it works. Also shows what agents see, why, and how many tokens it costs them.',
  flags: { 'no-connect': { summary: 'Skip servers that are not connected' } },
  examples: [
    { line: 'doctor', meaning: 'Checks Node, data folder, config, gateway, connected agents and every server.' },
    { line: 'doctor --no-connect', meaning: 'The same without starting anything.' },
  ],
  async run({ flags, context }) {
    const gateway = await showProgress(context.notes, 'Looking', () =>
      checkGateway(context.dataDir, context.host.signal),
    );
    if (gateway.holder === null && !gateway.isStuck) await offerTrustToLook(context);
    const { findings, surfaces } = await showProgress(context.notes, 'Looking', () =>
      examineAll(context, gateway, !flags['no-connect']),
    );
    const isWell = findings.every((finding) => finding.severity !== 'problem');
    return {
      data: { findings, surfaces },
      text: renderFindings(findings, context.style, surfaces === null ? '' : renderSurfaces(surfaces, context.style)),
      exitCode: isWell ? exitCodes.ok : exitCodes.failed,
    };
  },
});

interface Examination {
  readonly findings: readonly HealthFinding[];
  /** null where nobody could be asked. */
  readonly surfaces: SurfaceCosts | null;
}

async function examineAll(context: CommandContext, gateway: GatewayCheck, isConnecting: boolean): Promise<Examination> {
  const location = configLocation(context);
  const surroundings = await Promise.all([checkNode(context.host.env), checkDataFolder(context.dataDir)]);
  const mistakes = await checkConfig(location);
  const config = gateway.holder === null ? [...mistakes, ...(await checkTrust(location))] : mistakes;
  const port = gateway.holder === null ? await checkUsualPort(context) : [];
  const agents = await checkAgentsOf(context, gateway);
  const own = [...surroundings.flat(), ...config, ...gateway.findings, ...port];
  if (!canAsk(own, gateway)) return { findings: [...own, ...agents], surfaces: null };
  const { findings, surfaces } = await askGateway(context, isConnecting);
  return { findings: joinFindings([...own, ...agents], findings), surfaces };
}

/** A config that cannot be shown is a finding later on. */
async function offerTrustToLook(context: CommandContext): Promise<void> {
  await offerTrust(context).catch((error) => {
    if (!(error instanceof GatewayError) || error.code === 'CANCELLED') throw error;
  });
}

/** A config that cannot be read is a finding already. */
async function checkUsualPort(context: CommandContext): Promise<HealthFinding[]> {
  try {
    const { host, port } = await usualAddress(context);
    return port === 0 ? [] : [await checkPort(host, port, context.host.env)];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.code === 'CONFIG_INVALID' || error.code === 'CONFIG_UNTRUSTED') return [];
    return [{ severity: 'problem', subject: 'port', message: error.message }];
  }
}

/** Without an address there is nothing to compare with. */
async function checkAgentsOf(context: CommandContext, { holder, isStuck }: GatewayCheck): Promise<HealthFinding[]> {
  if (isStuck) return [];
  // The readers of all formats are loaded when they are needed.
  const { checkAgents } = await import('../checks/check-agents.ts');
  try {
    const address = holder === null ? await usualUrl(context) : holder.url;
    return await checkAgents(context.dataDir, address, context.host.signal);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A config or a port that cannot be read is a finding already.
    return [];
  }
}

/** A running gateway can be asked whatever the file says now; without one, all of this is needed to look further. */
function canAsk(own: readonly HealthFinding[], gateway: GatewayCheck): boolean {
  if (gateway.holder !== null) return true;
  return !gateway.isStuck && own.every(({ severity }) => severity !== 'problem');
}

async function askGateway(context: CommandContext, connect: boolean): Promise<Examination> {
  try {
    return await withAdmin(context, async ({ admin, holder }) => {
      const { findings, surfaces, gateway } = await admin.run('gateway.doctor', { connect });
      const used = holder === null ? [] : [describeUsedConfig(gateway, await ownConfigFiles(context))];
      // A gateway of an older version says nothing of them.
      return { findings: [...used, ...findings], surfaces: surfaces ?? null };
    });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === 'CANCELLED') throw error;
    const finding: HealthFinding = {
      severity: 'problem',
      subject: 'gateway',
      message: error.message,
      hint: error.hint,
    };
    return { findings: [finding], surfaces: null };
  }
}

async function ownConfigFiles(context: CommandContext): Promise<string[]> {
  const { candidateFiles } = await import('../../../config/config.ts');
  return candidateFiles(configLocation(context));
}

/** A mistake in the config file is seen by both: by the gateway as the reason why it keeps the config from before. */
export function joinFindings(own: readonly HealthFinding[], gateways: readonly HealthFinding[]): HealthFinding[] {
  const isKnown = ({ subject, message }: HealthFinding) =>
    own.some((finding) => finding.subject === subject && finding.message === message);
  const again = gateways.filter(isKnown);
  const kept = again.find(({ severity, hint }) => severity === 'problem' && hint !== undefined);
  const said: HealthFinding[] =
    kept?.hint === undefined ? [] : [{ ...kept, severity: 'note', message: kept.hint, hint: undefined }];
  return [...own, ...said, ...gateways.filter((finding) => !isKnown(finding))];
}

/** `more` stands before the summary, where there is any. */
function renderFindings(findings: readonly HealthFinding[], style: Style, more = ''): string {
  const problems = findings.filter((finding) => finding.severity === 'problem').length;
  const summary = problems === 0 ? style.good('No problem found.') : style.bad(`${plural(problems, 'problem')} found.`);
  const between = more === '' ? [] : ['', more];
  return [...findings.map((finding) => renderFinding(finding, style)), ...between, '', summary].join('\n');
}

function renderFinding(finding: HealthFinding, style: Style): string {
  const lines = [`${signOf(finding, style)} ${printable(finding.message)}`];
  for (const line of finding.output ?? []) lines.push(style.faint(`    ${style.sign('│', '|')} ${printable(line)}`));
  if (finding.hint) lines.push(`    ${style.sign('→', 'hint:')} ${printable(finding.hint)}`);
  return lines.join('\n');
}

function signOf({ severity }: HealthFinding, style: Style): string {
  if (severity === 'ok') return style.good(style.sign('✓', 'ok:'));
  return severity === 'note' ? style.notice(style.sign('!', 'note:')) : style.bad(style.sign('✗', 'problem:'));
}
