/** The commands about the config file: check it, find it, print its schema. */

import { access } from 'node:fs/promises';
import { GatewayError } from '../../../base/errors.ts';
import { plural } from '../../../base/plural.ts';
import { printable } from '../../../base/text.ts';
import { issueLines, issuesOf } from '../checks/check-config.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { toPrintableJson } from '../print.ts';
import { configLocation } from '../trusted-config.ts';

export const configCheck = defineCommand({
  name: 'config check',
  summary: 'Check the config file',
  description: 'Prints each mistake with file, line and column. Exits with code 2 if there is one.',
  args: { file: { summary: 'The file; without it, the one the gateway would use', isOptional: true } },
  examples: [
    { line: 'config check', meaning: 'Checks the file that the gateway would use.' },
    { line: 'config check ./toolcrib.json', meaning: 'Checks another file.' },
  ],
  async run({ args, context }) {
    const { inspectConfig } = await import('../../../config/config.ts');
    try {
      const path = args.file ?? context.configPath;
      const loaded = await inspectConfig({ ...configLocation(context), path });
      const unusable = [...loaded.config.servers.values()].flatMap(({ name, problem }) =>
        problem === null ? [] : [`Server "${name}" cannot be used yet: ${problem}`],
      );
      const notes = [...loaded.warnings, ...loaded.doubts, ...unusable];
      return renderGood(loaded.file, notes, loaded.config.servers.size);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'CONFIG_INVALID') throw error;
      return renderBad(error);
    }
  },
});

function renderGood(file: string | null, warnings: readonly string[], serverCount: number): CommandOutcome {
  const head =
    file === null
      ? 'There is no config file; the defaults apply.'
      : `${file} is valid: ${plural(serverCount, 'server')}.`;
  return {
    data: { valid: true, file, servers: serverCount, issues: [], warnings },
    text: [head, ...warnings.map((warning) => `note: ${printable(warning)}`)].join('\n'),
  };
}

function renderBad(error: GatewayError): CommandOutcome {
  const lines = issueLines(error);
  const issues = issuesOf(error);
  return {
    data: { valid: false, file: issues[0]?.file ?? null, issues, warnings: [] },
    text: lines.map(printable).join('\n'),
    trouble: new GatewayError('CONFIG_INVALID', `The config has ${plural(lines.length, 'mistake')}.`),
    exitCode: exitCodes.usage,
  };
}

export const configPath = defineCommand({
  name: 'config path',
  summary: 'Print the path of the config file',
  description: 'Prints the file in use or, if there is none yet, where to create it in the data folder.',
  examples: [{ line: 'config path', meaning: 'To open it in an editor: $EDITOR "$(toolcrib config path)"' }],
  async run({ context }) {
    const { candidateFiles } = await import('../../../config/config.ts');
    const candidates = candidateFiles(configLocation(context));
    const checked = await Promise.all(candidates.map(async (file) => ((await exists(file)) ? file : null)));
    const found = checked.find((file) => file !== null) ?? null;
    return {
      data: { file: found, candidates },
      text: found ?? candidates.at(-1) ?? '',
    };
  },
});

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

export const configSchema = defineCommand({
  name: 'config schema',
  summary: 'Print the JSON Schema of the config file',
  isVerbatim: true,
  examples: [{ line: 'config schema > toolcrib.schema.json', meaning: 'A file that "$schema" can refer to.' }],
  async run() {
    const { configJsonSchema } = await import('../../../config/config.ts');
    const schema = configJsonSchema();
    return { data: schema, text: toPrintableJson(schema, 2) };
  },
});
