/** `toolcrib version`: which Toolcrib this is. */

import { version as ownVersion } from '../../../base/own-program.ts';
import { defineCommand } from '../command.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version',
  examples: [{ line: 'version', meaning: 'The same as toolcrib --version.' }],
  async run() {
    return { data: { version: ownVersion, node: process.versions.node }, text: ownVersion };
  },
});
