/** The input and the finding of a check. */

export interface SourceFile {
  /** From the repository root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
}

export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

export function lineCount(text: string): number {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

export function printed(findings: readonly Finding[]): string {
  return findings.map((finding) => `${finding.path}:${finding.line}  ${finding.reason}`).join('\n');
}

/** Tests may reach further than the code they test. */
export function isTest(path: string): boolean {
  return /\.test\.ts$/.test(path);
}

export function startsWithAny(path: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => path.startsWith(beginning));
}
