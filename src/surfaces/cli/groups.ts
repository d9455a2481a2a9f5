/** The words that stand before a command of two words, and what their commands are about. */

export const groups: Readonly<Record<string, string>> = {
  token: 'Create, list or revoke tokens',
  browser: 'List browsers that are signed in, or sign one out',
  project: 'Create, list, change or remove projects',
  service: 'Start the gateway at login, or stop doing so',
  secret: 'Set, list or remove secrets that servers refer to',
  optimize: 'Improve descriptions of tools by experiment',
  store: 'Copy the whole store to another database',
  config: 'Check or find the config file, or print its JSON Schema',
};
