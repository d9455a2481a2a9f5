/** Opens the gateway with its door, once the data folder is free; if the port is in use, the message names the process that has it. */

import { GatewayError, systemCodeOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Gateway, GatewayOptions } from '../../gateway.ts';
import { portHint, portUser } from './checks/port-user.ts';
import type { CommandContext } from './context.ts';
import { isTakenSince, settledHolder } from './lock-state.ts';
import { offerTrust } from './trusted-config.ts';

export type ListeningOptions = Pick<GatewayOptions, 'listen' | 'isOptimizing' | 'extraServers' | 'onAgents' | 'onStop'>;

export async function openListening(context: CommandContext, log: Log, options: ListeningOptions): Promise<Gateway> {
  const { dataDir, configPath } = context;
  const { cwd, env, signal } = context.host;
  await offerTrust(context);
  const { openGateway } = await import('../../gateway.ts');
  const startedMs = performance.now();
  for (;;) {
    // A command that works on the folder is done in a moment; a gateway that runs there is named by the next step.
    const holder = await settledHolder(dataDir, signal);
    try {
      return await openGateway({ dataDir, configPath, cwd, env, log, ...options });
    } catch (error) {
      if (holder !== null || !isTakenSince(startedMs, error)) throw await withPortUser(error, env);
    }
  }
}

async function withPortUser(error: unknown, env: NodeJS.ProcessEnv): Promise<unknown> {
  if (!(error instanceof GatewayError) || systemCodeOf(error.cause) !== 'EADDRINUSE') return error;
  const { cause, data } = error;
  const [host, port] = [String(data?.host), Number(data?.port)];
  const message = `Port ${port} on ${host} is in use by ${await portUser(host, port, env)}.`;
  return new GatewayError('PORT_TAKEN', message, { hint: portHint, cause, data });
}
