/** The reference page of the command line, written from the declarations. */

import { flagSyntax, flagText } from './build-program.ts';
import { type Command, type FlagDeclarations, isOffered, shortWordFor } from './command.ts';
import type { CommandSection } from './commands.ts';
import { exitCodeMeanings } from './exit-code.ts';
import { sharedFlags } from './shared-flags.ts';

export function cliReference(sections: readonly CommandSection[]): string {
  const parts = [
    '# The command line',
    'This page is generated from the declarations of the commands.',
    'Commands talk to the gateway that runs for the data folder. If none runs, they work on the folder themselves.',
    ...sections.map(contents),
    '## Flags of every command',
    flagTable(sharedFlags),
    '## Environment',
    table(
      ['variable', 'meaning'],
      [
        ['`TOOLCRIB_DATA`', 'The data folder, unless `--data` names one.'],
        [
          '`TOOLCRIB_HOST`, `TOOLCRIB_PORT`',
          'Where `toolcrib start` listens, unless `--host` and `--port` say it. They go before `listen` in the config.',
        ],
        ['`TOOLCRIB_TOKEN`', 'The token to use, instead of the one in the data folder.'],
        [
          '`TOOLCRIB_SURFACE`',
          'For `toolcrib stdio`: the surface that the agent sees, `auto`, `search`, `direct`, `code` or `full`; without it the config decides.',
        ],
        ['`NO_COLOR`', 'No colours.'],
      ],
    ),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]),
    ),
    'Errors are one sentence on stderr and, where something can be done, a line that begins with `hint:`. With `--json` they are one line: `{"error":{"code":…,"message":…,"hint":…,"data":…}}`; `data` holds facts for programs, such as the nearest names or other tools that may do.',
    'The shapes of other JSON: [JSON of the commands](json.md).',
    ...sections.flatMap(({ commands }) => commands.filter(isOffered).map(section)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function contents({ title, commands }: CommandSection): string {
  const lines = commands.filter(isOffered).map(({ name, summary }) => {
    const short = shortWordFor(name);
    const also = short === undefined ? '' : `, \`${short}\``;
    return `- [\`toolcrib ${name}\`](#${anchorOf(name)})${also}: ${summary}`;
  });
  return `**${title}**\n\n${lines.join('\n')}`;
}

function section(command: Command): string {
  const hasFlags = Object.values(command.flags).some((flag) => !flag.isHidden);
  const parts = [
    `## toolcrib ${command.name}`,
    [`${command.summary}.`, command.description ?? ''].join(' ').trim(),
    fence(usageOf(command, hasFlags)),
    argumentTable(command),
    hasFlags ? flagTable(command.flags) : '',
    fence(command.examples.map(({ line, meaning }) => `# ${meaning}\ntoolcrib ${line}`).join('\n\n')),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function usageOf(command: Command, hasFlags: boolean): string {
  const args = Object.entries(command.args).map(([name, { isOptional, isVariadic }]) => {
    const shown = `${name.toUpperCase()}${isVariadic ? '…' : ''}`;
    return isOptional ? `[${shown}]` : shown;
  });
  const flags = hasFlags ? ['[flags]'] : [];
  const forms = command.usage?.split(' | ') ?? [args.join(' ')];
  return forms.map((form) => ['toolcrib', command.name, ...flags, form].join(' ').trimEnd()).join('\n');
}

function argumentTable({ args }: Command): string {
  const rows = Object.entries(args).map(([name, { summary, choices }]) => [
    `\`${name.toUpperCase()}\``,
    choices ? `${summary}: ${choices.join(', ')}` : summary,
  ]);
  return rows.length === 0 ? '' : table(['argument', 'meaning'], rows);
}

function flagTable(flags: FlagDeclarations): string {
  const rows = Object.entries(flags)
    .filter(([, flag]) => !flag.isHidden)
    .map(([name, flag]) => [`\`${flagSyntax(name, flag).replace(/[<>]/g, '')}\``, flagText(flag)]);
  return table(['flag', 'meaning'], rows);
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function fence(text: string): string {
  return `\`\`\`sh\n${text}\n\`\`\``;
}

function anchorOf(name: string): string {
  return `toolcrib-${name.replaceAll(' ', '-')}`;
}
