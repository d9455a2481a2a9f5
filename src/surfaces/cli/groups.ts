/** The words that stand before a command of two words, and what their commands are about. */

export const groups: Readonly<Record<string, string>> = {
  config: 'Check the config file, find it, or print its JSON Schema',
};
