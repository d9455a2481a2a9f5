/** The words that stand before a command of two words, and what their commands are about. */

export const groups: Readonly<Record<string, string>> = {
  token: 'Make tokens, list or revoke them',
  project: 'Make projects, list, change or remove them',
  secret: 'Set secrets that servers refer to, list or remove them',
  config: 'Check the config file, find it, or print its JSON Schema',
};
