/** Opens the gateway with its door, on the first of several ports that is free. */

import { GatewayError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Gateway } from '../../gateway.ts';
import type { CommandContext } from './context.ts';
import { settledHolder } from './lock-state.ts';

export interface ListeningOptions {
  readonly host: string;
  /** Tried in this order. */
  readonly ports: readonly number[];
  readonly isAuthOff: boolean;
  /** True: the optimizer is on, whatever the config says. */
  readonly isOptimizing: boolean;
  readonly extraServers: Readonly<Record<string, JsonObject>>;
  onAgents(count: number): void;
}

export async function openListening(context: CommandContext, log: Log, options: ListeningOptions): Promise<Gateway> {
  // A command that works on the folder is done in a moment; a gateway that runs there is named by the next step.
  await settledHolder(context.dataDir, context.host.signal);
  return openOnFirst(context, log, options, options.ports);
}

async function openOnFirst(
  context: CommandContext,
  log: Log,
  options: ListeningOptions,
  [port = 0, ...others]: readonly number[],
): Promise<Gateway> {
  const { host, isAuthOff, isOptimizing, extraServers, onAgents } = options;
  const { openGateway } = await import('../../gateway.ts');
  const { cwd, env } = context.host;
  try {
    return await openGateway({
      dataDir: context.dataDir,
      configPath: context.configPath,
      cwd,
      env,
      log,
      listen: { host, port, isAuthOff },
      isOptimizing,
      extraServers,
      onAgents,
    });
  } catch (error) {
    const isTaken = error instanceof GatewayError && error.code === 'PORT_TAKEN';
    if (!isTaken || others.length === 0) throw error;
    return openOnFirst(context, log, options, others);
  }
}
