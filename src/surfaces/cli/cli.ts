/** The command line: the front of the folder. */

export type { CliHost } from './context.ts';
export { ensureGateway } from './ensure-gateway.ts';
export { runCli } from './run-cli.ts';
