/** The command line: the front of the folder. */

export type { CliHost } from './context.ts';
export { type EnsureOptions, ensureGateway, type GatewayAddress } from './ensure-gateway.ts';
export { runCli } from './run-cli.ts';
