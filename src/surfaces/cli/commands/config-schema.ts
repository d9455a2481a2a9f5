/** `toolcrib config schema`: the JSON Schema of the config file, for editors. */

import { defineCommand } from '../command.ts';
import { toJson } from '../print.ts';

export const configSchema = defineCommand({
  name: 'config schema',
  summary: 'Print the JSON Schema of the config file',
  isVerbatim: true,
  examples: [{ line: 'config schema > toolcrib.schema.json', meaning: 'A file that "$schema" can refer to.' }],
  async run() {
    const { configJsonSchema } = await import('../../../config/config.ts');
    const schema = configJsonSchema();
    return { data: schema, text: toJson(schema, 2) };
  },
});
