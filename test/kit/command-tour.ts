/** A line for every command, in an order in which each finds what it needs: for checks that hold for all of them. */

import { serverCommand } from '../servers/launch.ts';
import { CliMachine, type CliRun, type RunOptions } from './cli.ts';

/** A definition that waits for review. */
const held = {
  name: 'paint',
  description: 'Paints \u001b[31mred\u001b[0m \u202eand hides\u202c.',
  inputSchema: { type: 'object' },
};

function added(name: string, spec: Parameters<typeof serverCommand>[0]): string[] {
  const { command, args } = serverCommand(spec);
  return ['add', name, '--', command, ...args];
}

interface Stop {
  readonly argv: readonly string[];
  readonly input?: string;
}

const stops: Readonly<Record<string, string | Stop>> = {
  add: { argv: added('other', {}) },
  status: 'status',
  logs: 'logs --lines 3',
  doctor: 'doctor --no-connect',
  trust: 'trust --list',
  'config check': 'config check',
  'config path': 'config path',
  'config schema': 'config schema',
  import: 'import --dry-run',
  list: 'list',
  show: 'show files',
  set: 'set files --title Files',
  refresh: 'refresh files',
  disable: 'disable other',
  enable: 'enable other',
  remove: 'remove other',
  'secret set': { argv: ['secret', 'set', 'KEY'], input: 'a-value-to-keep' },
  'secret list': 'secret list',
  'secret remove': 'secret remove KEY',
  auth: 'auth',
  tools: 'tools',
  search: 'search add two numbers --explain',
  recommend: 'recommend add two numbers',
  info: 'info files:add',
  call: 'call files:add a=1 b=2',
  chain: { argv: ['chain', '-'], input: 'return await call("files:add", { a: 1, b: 2 })' },
  review: 'review odd',
  'review accept': 'review accept odd:paint --yes',
  'review undo': 'review undo odd',
  'review reject': 'review reject odd:paint',
  approvals: 'approvals',
  approve: 'approve call_k7m2qp',
  deny: 'deny call_k7m2qp',
  forget: 'forget call_k7m2qp',
  metrics: 'metrics',
  usage: 'usage',
  audit: 'audit',
  'optimize report': 'optimize report',
  'optimize prompts': 'optimize prompts files',
  'optimize candidates': 'optimize candidates files',
  'optimize run': 'optimize run files --dry-run',
  'optimize jobs': 'optimize jobs',
  'optimize cancel': 'optimize cancel job_k7m2qp',
  'optimize promote': 'optimize promote files:add cand_0a1b2c',
  'optimize revert': 'optimize revert files:add',
  'optimize export': 'optimize export records',
  'optimize import': 'optimize import records',
  'token create': 'token create ann',
  'token list': 'token list',
  'token revoke': 'token revoke ann',
  'browser list': 'browser list',
  'browser end': 'browser end 3f9c02ab',
  'project create': 'project create shop --servers files',
  'project list': 'project list',
  'project set': 'project set shop --description Sells',
  'project remove': 'project remove shop',
  completions: 'completions bash',
  version: 'version',
  help: 'help',
};

/** Commands that take the terminal, or that change more than the data folder: their own tests look at them. */
export const notOnTour = new Set([
  ...['start', 'stdio', 'tui', 'open', 'stop', 'init', 'install', 'uninstall', 'store copy'],
  ...['service install', 'service uninstall', 'service status'],
]);

export const toured: readonly string[] = Object.keys(stops);

/** Runs every line with `flags` on a new machine with a gateway and two servers. */
export async function* tourCommands(
  flags: readonly string[],
  options: RunOptions = {},
): AsyncGenerator<{ readonly name: string; readonly run: CliRun }> {
  await using machine = await CliMachine.make();
  await machine.start('--enable-optimization');
  await machine.run(...added('files', {}));
  await machine.run(...added('odd', { tools: [held] }));
  for (const [name, stop] of Object.entries(stops)) {
    const { argv, input = '' } = typeof stop === 'string' ? { argv: stop.split(' ') } : stop;
    // Flags first: after "--" they would belong to the command of a server.
    yield { name, run: await machine.launch([...flags, ...argv], { ...options, input }).ended };
  }
}
