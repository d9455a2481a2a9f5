/** The question about a config file that only the current folder led to: it is shown before anything is done as it says. */

import { visibleLine } from '../../base/visible.ts';
import type { ConfigLocation, ConfigPowers, ConfigText, WrittenSetting } from '../../config/config.ts';
import { askPerson, canAsk } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { writeText } from './print.ts';

/** Where this command looks for its config. */
export function configLocation({ configPath: path, dataDir, host }: CommandContext): ConfigLocation {
  const { cwd, env, signal } = host;
  return { path, dataDir, cwd, env, signal };
}

/** Before a config is loaded: asks on a terminal. Without an answer, or with a no, loading it throws CONFIG_UNTRUSTED. */
export async function offerTrust(context: CommandContext): Promise<void> {
  const { readConfigText, TrustedConfigs } = await import('../../config/config.ts');
  const text = await readConfigText(configLocation(context));
  const trusted = new TrustedConfigs(context.dataDir);
  if (!canAsk(context) || (await trusted.covers(text))) return;
  if (await askForTrust(text, context)) await trusted.add(text, new Date());
}

/** True for a yes. What was shown is what is trusted. */
export async function askForTrust(text: ConfigText, context: CommandContext): Promise<boolean> {
  const { powersOf } = await import('../../config/config.ts');
  writeText(context.host.stdout, `${renderPowers(text.file ?? '', powersOf(text))}\n`);
  return /^y(es)?$/i.test(await askPerson(context, 'Trust it, until it changes? [y/N] '));
}

function renderPowers(file: string, { servers, settings }: ConfigPowers): string {
  const rows = servers.flatMap(({ name, target, settings: own }) => [
    `  ${visibleLine(name)}: ${visibleLine(target) || 'no command'}`,
    ...linesOf(own, '      '),
  ]);
  return [
    `${visibleLine(file)} is not trusted yet.`,
    ...(rows.length === 0 ? ['It has no servers.'] : ['It starts these programs and uses these addresses:', ...rows]),
    ...(settings.length === 0 ? [] : ['It also sets:', ...linesOf(settings, '  ')]),
  ].join('\n');
}

function linesOf(settings: readonly WrittenSetting[], indent: string): string[] {
  return settings.map(({ key, value }) => `${indent}${visibleLine(`${key} = ${value}`)}`);
}
