/** A message of a prompt, in the user's name. */

export function userText(text: string): Record<string, unknown> {
  return userMessage({ type: 'text', text });
}

export function userMessage(content: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { role: 'user', content };
}
