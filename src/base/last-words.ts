/** The last words of a program in a few lines: the error itself, not the trace that led to it. */

/** `    at load (file:1:2)`: where a program of Node, or of the JVM, was; or a line that stands for several of these. */
const frame = /^\s+(?:at \S|\.\.\. \d+ (?:lines matching|more))/;
/** `  File "x.py", line 3, in load`: the same of Python, with the source line below. */
const pythonFrame = /^\s+File ".*", line \d+/;
const pythonTrace = /^\s*Traceback \(most recent call last\):$/;
/** Node names itself last of all. */
const runtimeName = /^Node\.js v\d/;
const errorLine = /^\s*(?:Uncaught )?[\w$.]*(?:Error|Exception)\b[^:]*(?::|$)/;
const indented = /^\s/;
/** Lines that programs print around the one that says why: they are left out where anything else was said. */
const chatter: readonly RegExp[] = [
  /^npm (?:warn|notice)\b/i,
  /^npm (?:error|ERR!)(?: \w+)?\s*$/,
  /^npm (?:error|ERR!) (?:code|syscall|errno|path|dest) /,
  /^npm (?:error|ERR!)(?: \}| {2,}(?:at|\w+:) )/,
  /A complete log of this run can be found in/,
  /Note that you can also install from a$|tarball, folder, http url, or git/,
  /In most cases you or one of your dependencies|This is related to npm not being able|If you are behind a proxy/,
  /^stack backtrace:$|^\s+\d+: \S|^note: .*RUST_BACKTRACE/,
  /^goroutine \d+ \[|^[\w./*()]+\(.*\)$|^\t\S+:\d+|^exit status \d+$/,
  /^(?:Run|See) '.* --help'/,
];
/** How programs name what went wrong, wherever in a line. */
const reason =
  /\b(?:fatal|panic|panicked|cannot|can't|could not|unable to|failed|missing|required|not found|no such|denied|refused|invalid|out of memory|E[A-Z]{3,})\b/i;
/** Under a line of source, where it went wrong. */
const marker = /^\s*[\^~]+\s*$/;
const place = /:\d+$/;
/** A message may go on below its first line; one that does so for longer begins nowhere that matters. */
const longestMessage = 20;

/** At most `count` lines that are not empty, the last ones. A message that is longer keeps its beginning. */
export function lastWords(printed: string, count: number): string[] {
  const all = printed.split('\n').filter((line) => line.trim() !== '');
  const telling = all.filter((line) => !chatter.some((pattern) => pattern.test(line)));
  const lines = telling.length > 0 ? telling : all;
  const { words, head, end } = withoutTraces(lines);
  if (words.length === 0) return lines.slice(-count);
  const after = words.slice(end);
  const isWhole = head === undefined || head >= words.length - count;
  // Where a program went on for long after a trace, that trace is not why it ended.
  if (isWhole || after.length >= count) return fromReason(words, count);
  return [...words.slice(head, end).slice(0, count - after.length), ...after];
}

/** The last lines; where none of them says why, and one shortly before them does, that one and what follows it. */
function fromReason(words: readonly string[], count: number): string[] {
  const isReason = (line: string) => errorLine.test(line) || reason.test(line);
  const last = words.slice(-count);
  const at = words.findLastIndex(isReason);
  const isFar = at === -1 || words.length - at > longestMessage;
  return isFar || last.some(isReason) ? last : words.slice(at, at + count);
}

interface Words {
  readonly words: readonly string[];
  /** Where the message of the last trace begins; undefined where there is none. */
  readonly head: number | undefined;
  /** Where what was said after that trace begins. */
  readonly end: number;
}

function withoutTraces(lines: readonly string[]): Words {
  const words: string[] = [];
  let head: number | undefined;
  let end = 0;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    if (frame.test(line)) {
      head = headOf(words);
      at = pastFrames(lines, at, words);
      end = words.length;
      continue;
    }
    at += 1;
    if (pythonFrame.test(line)) while (at < lines.length && indented.test(lines[at] as string)) at += 1;
    else if (marker.test(line) && place.test(words.at(-2) ?? '')) words.splice(-2);
    else if (!pythonTrace.test(line) && !runtimeName.test(line)) words.push(line);
  }
  return { words, head, end };
}

/** The message above a trace: its first line, or the line right above where none looks like an error. */
function headOf(words: readonly string[]): number | undefined {
  const above = words.findLastIndex((line) => errorLine.test(line));
  if (above !== -1 && words.length - above <= longestMessage) return above;
  return words.length === 0 ? undefined : words.length - 1;
}

/** Skips the frames, and the members of the error that Node prints after them; what caused it is worth a line. */
function pastFrames(lines: readonly string[], first: number, words: string[]): number {
  let at = first;
  while (at < lines.length && frame.test(lines[at] as string)) at += 1;
  if (!(lines[at - 1] as string).endsWith('{')) return at;
  for (; at < lines.length && indented.test(lines[at] as string); at += 1)
    if (/^\s+\[cause\]: /.test(lines[at] as string)) words.push(lines[at] as string);
  return lines[at]?.trim() === '}' ? at + 1 : at;
}
