/** The doctor's check of the agents that Toolcrib was installed in: whether their addresses lead to this gateway. */

import type { HealthFinding } from '../../../admin/admin.ts';
import {
  type AgentId,
  agents,
  type Installation,
  Installations,
  isLoopbackName,
  ownUrl,
  readToEdit,
} from '../../../agent-files/agent-files.ts';
import { GatewayError } from '../../../base/errors.ts';
import { localUrlOf } from '../../../base/local-url.ts';

/** `address`: where the gateway listens, or will; null: at any free port. */
export async function checkAgents(
  dataDir: string,
  address: string | null,
  signal: AbortSignal,
): Promise<HealthFinding[]> {
  try {
    const installed = await new Installations(dataDir).all();
    const gateway = address === null ? null : new URL(localUrlOf(address));
    const findings = await Promise.all(installed.map((one) => checkInstallation(one, gateway, signal)));
    return findings.flat();
  } catch (error) {
    return [troubleOf(error)];
  }
}

async function checkInstallation(
  { agent, place }: Pick<Installation, 'agent' | 'place'>,
  gateway: URL | null,
  signal: AbortSignal,
): Promise<HealthFinding[]> {
  try {
    const { text } = await readToEdit(place.file, place.format, signal);
    const url = URL.parse(ownUrl(agent, text ?? '', place) ?? '');
    return url === null ? [] : judgeUrl(agent, url, gateway);
  } catch (error) {
    return [troubleOf(error)];
  }
}

function judgeUrl(agent: AgentId, url: URL, gateway: URL | null): HealthFinding[] {
  const { title } = agents[agent];
  const subject = 'agents';
  const isOnThisMachine = isLoopbackName(url.hostname);
  const isSameHost = url.hostname === gateway?.hostname;
  // Somebody leads the agent over another machine.
  if (!isSameHost && !isOnThisMachine) return [];
  const isLocal = gateway !== null && isLoopbackName(gateway.hostname);
  if (url.port === gateway?.port && (isSameHost || isLocal))
    return [{ severity: 'ok', subject, message: `${title} connects to ${url.origin}.` }];
  const place = gateway === null ? 'takes any free port' : `listens at ${gateway.origin}`;
  return [
    {
      severity: 'problem',
      subject,
      message: `${title} connects to ${url.origin}, but the gateway ${place}.`,
      hint: `Write the right way into its config: toolcrib install ${agent}`,
    },
  ];
}

function troubleOf(error: unknown): HealthFinding {
  if (!(error instanceof GatewayError)) throw error;
  return { severity: 'problem', subject: 'agents', message: error.message, hint: error.hint };
}
