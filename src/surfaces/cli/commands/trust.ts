/** `toolcrib trust`: config files that the current folder leads to, and that may then be used without being named. */

import { realpath } from 'node:fs/promises';
import { GatewayError } from '../../../base/errors.ts';
import { absolutePath } from '../../../base/folders.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import { canAsk } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { table } from '../table.ts';
import { askForTrust, configLocation } from '../trusted-config.ts';

export const trust = defineCommand({
  name: 'trust',
  summary: 'Trust the config file of a folder',
  description:
    'A toolcrib.json that only the current folder leads to decides which programs run, so it is used once you trust it: this very content, at this path. Shows what it starts and asks. After a change, Toolcrib asks again, unless a gateway was running on it. A file named by --config and the one in the data folder need no trust.',
  args: { folder: { summary: 'The folder of the config', isOptional: true } },
  flags: {
    list: { summary: 'List the configs that you trust' },
    revoke: { summary: 'No longer trust the config of the folder' },
    yes: { summary: 'Trust it without a question' },
  },
  examples: [
    { line: 'trust', meaning: 'Shows the toolcrib.json of this folder, and asks.' },
    { line: 'trust ~/work/shop --revoke', meaning: 'Asks again before the config of that folder is used.' },
  ],
  async run({ args, flags, context }) {
    if (flags.list && (flags.revoke || args.folder !== undefined))
      throw new GatewayError('USAGE', '--list stands alone.', { hint: 'List all of them: toolcrib trust --list' });
    if (flags.list) return listTrusted(context);
    const named = absolutePath(args.folder ?? '.', context.host.env, context.host.cwd);
    // The system knows the current folder by its own path, whatever links led there. A folder that is gone keeps its name.
    const folder = await realpath(named).catch(() => named);
    return flags.revoke ? revokeTrust(folder, context) : giveTrust(folder, flags.yes, context);
  },
});

async function giveTrust(folder: string, isYes: boolean, context: CommandContext): Promise<CommandOutcome> {
  const { powersOf, readConfigText, TrustedConfigs } = await import('../../../config/config.ts');
  const text = await readConfigText({ ...configLocation(context), path: undefined, cwd: folder });
  const { file } = text;
  if (file === null || !text.isByFolder) throw noneIn(folder);
  const trusted = new TrustedConfigs(context.dataDir);
  // A config that is no JSON could not be used.
  const powers = powersOf(text);
  if (await trusted.covers(text)) return { data: { file, ...powers }, text: `You trust ${file} already.` };
  if (!isYes && !canAsk(context))
    throw new GatewayError('USAGE', `There is no terminal to ask on, so ${file} is not trusted.`, {
      hint: 'Read the file, then run: toolcrib trust --yes',
    });
  if (!isYes && !(await askForTrust(text, context)))
    throw new GatewayError('CANCELLED', `${file} is not trusted.`, { hint: 'Answer "y", or use --yes.' });
  const added = await trusted.add(text, new Date());
  return { data: { ...added, ...powers }, text: `${context.style.tick}Trusted until it changes: ${file}` };
}

async function revokeTrust(folder: string, context: CommandContext): Promise<CommandOutcome> {
  const { folderConfig, TrustedConfigs } = await import('../../../config/config.ts');
  const file = folderConfig(folder);
  const isRevoked = await new TrustedConfigs(context.dataDir).remove(file);
  const text = isRevoked ? `No longer trusted: ${file}` : `${file} was not trusted.`;
  return { data: { file, isRevoked }, text };
}

async function listTrusted({ dataDir, style, width }: CommandContext): Promise<CommandOutcome> {
  const { TrustedConfigs } = await import('../../../config/config.ts');
  const rows = await new TrustedConfigs(dataDir).all();
  if (rows.length === 0) return { data: rows, text: 'You trust no config of a folder.' };
  const columns = [
    { title: 'FILE', cell: ({ file }: (typeof rows)[number]) => file },
    { title: 'TRUSTED', cell: ({ trustedAt }: (typeof rows)[number]) => trustedAt.slice(0, 10) },
  ];
  return { data: rows, text: table(rows, columns, { style, width }) };
}

function noneIn(folder: string): GatewayError {
  return new GatewayError('USAGE', `There is no config to trust in ${folder}.`, {
    hint: 'Name the folder of a toolcrib.json: toolcrib trust FOLDER. The one in the data folder needs no trust.',
  });
}
