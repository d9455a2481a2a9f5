/** Where the gateway listens: the flags that say it, and what comes of flags, environment and config. */

import { isIPv6 } from 'node:net';
import { defaultHost, defaultPort, maxPort } from '../../base/listen-address.ts';
import type { FlagDeclarations } from './command.ts';
import type { CommandContext } from './context.ts';
import { readFlags } from './read-values.ts';
import { configLocation } from './trusted-config.ts';

export const listenFlags = {
  host: {
    value: 'ADDRESS',
    env: 'TOOLCRIB_HOST',
    summary: 'The address to listen on',
    default: `"listen.host" in the config, else ${defaultHost}`,
  },
  port: {
    value: 'NUMBER',
    number: { least: 0, most: maxPort },
    env: 'TOOLCRIB_PORT',
    summary: 'The port; 0 takes any free one',
    default: `"listen.port" in the config, else ${defaultPort}`,
  },
} as const satisfies FlagDeclarations;

/** Where `start` without flags would listen. Throws USAGE for a variable that makes no sense, CONFIG_INVALID or CONFIG_UNTRUSTED for such a config. */
export async function usualAddress(context: CommandContext): Promise<{ readonly host: string; readonly port: number }> {
  const { loadConfig } = await import('../../config/config.ts');
  const { host, port } = readFlags(listenFlags, { operands: [], options: {} }, context.host.env);
  const { listen } = (await loadConfig(configLocation(context))).config;
  return { host: host ?? listen.host, port: port ?? listen.port };
}

/** The same as a URL; null: any free port, which nobody knows yet. */
export async function usualUrl(context: CommandContext): Promise<string | null> {
  const { host, port } = await usualAddress(context);
  return port === 0 ? null : `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
