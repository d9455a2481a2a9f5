/** Small claims about texts, whose failures say what was there instead. */

export function expectText(text: string | undefined, wanted: string | RegExp): void {
  const holds = text !== undefined && (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
  if (!holds) throw new Error(`expected ${wanted}, found ${shortened(text ?? 'nothing')}`);
}

export function expectEqual<T>(found: T, wanted: T, what: string): void {
  if (found !== wanted) throw new Error(`${what}: expected ${String(wanted)}, found ${String(found)}`);
}

export function shortened(text: string, most = 160): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
