/** `toolcrib help`: help on everything, or on one command. */

import { version } from '../../../base/own-program.ts';
import { defineCommand } from '../command.ts';

const width = 100;

export const help = defineCommand({
  name: 'help',
  summary: 'Print help, on everything or on one command',
  args: { command: { summary: 'The command', isOptional: true, isVariadic: true } },
  examples: [{ line: 'help add', meaning: 'The same as toolcrib add --help.' }],
  async run({ args }) {
    // Loaded here, because the table of commands holds this very command.
    const { commands } = await import('../commands.ts');
    const { buildProgram } = await import('../build-program.ts');
    const { unknownCommand } = await import('../usage-trouble.ts');
    let parser = buildProgram({ commands, version, width, write: () => {}, onCommand: () => {} });
    for (const word of args.command) {
      const next = parser.commands.find((command) => command.name() === word);
      if (next === undefined) throw unknownCommand(word, args.command, commands);
      parser = next;
    }
    let text = '';
    parser.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    return { data: { help: text }, text };
  },
});
