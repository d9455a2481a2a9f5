/** The words that stand before a command of two words, and what their commands are about. */

export const groups: Readonly<Record<string, string>> = {
  token: 'Make tokens, list or revoke them',
  project: 'Make projects, list, change or remove them',
  secret: 'Set, list or remove secrets that servers refer to',
  config: 'Check the config file, find it, or print its JSON Schema',
};
