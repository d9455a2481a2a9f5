/** Whether a URI fits a URI template, in linear time: literals must occur in order, and expressions stand for anything between. */

export function matchesTemplate(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  if (literals.length === 1) return template === uri;
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let at = first.length;
  const end = uri.length - last.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found === -1 || found + literal.length > end) return false;
    at = found + literal.length;
  }
  return true;
}

/** What every URI of a template begins with. */
export function literalPrefix(template: string): string {
  return template.split(/\{[^{}]*\}/, 1)[0] ?? '';
}
