/** The flags that every command takes. */

import type { FlagDeclarations } from './command.ts';

export const sharedFlags = {
  json: { summary: 'Print JSON for programs, also for errors' },
  quiet: { short: 'q', summary: 'Print only errors and the data that was asked for' },
  data: {
    value: 'DIR',
    summary: 'The data folder; the environment variable TOOLCRIB_DATA says the same',
    default: '~/.toolcrib',
  },
  config: {
    value: 'FILE',
    summary: 'The config file',
    default: './toolcrib.json if you trust it, else toolcrib.json in the data folder',
  },
} as const satisfies FlagDeclarations;
