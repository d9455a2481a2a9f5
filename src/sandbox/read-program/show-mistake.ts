/** How a mistake in code is shown: the part of its line, and what to do about it. */

interface SyntaxHint {
  readonly matches: RegExp;
  /** The text to search: the compiler's message, the line with the mistake, or all of the code. */
  readonly in: 'message' | 'line' | 'code';
  readonly hint: string;
}

const hints: readonly SyntaxHint[] = [
  {
    in: 'message',
    matches: /^There is no code/,
    hint: 'Send JavaScript, for example: return await servers.github.list_issues({ owner, repo }).',
  },
  {
    in: 'message',
    matches: /^TypeScript enum/,
    hint: "Write a plain object instead: const Color = { Red: 'red', Blue: 'blue' }.",
  },
  {
    in: 'message',
    matches: /^TypeScript/,
    hint: 'Types are removed before the code runs; write this part in plain JavaScript.',
  },
  { in: 'message', matches: /angle-bracket/, hint: 'Write `value as Type` instead.' },
  { in: 'message', matches: /await is only valid/, hint: 'Make the function around it `async`.' },
  { in: 'message', matches: /nested too deeply/, hint: 'Split the expression into several statements.' },
  {
    in: 'message',
    matches: /has already been declared/,
    hint: 'Use another name, or assign without `const` or `let`.',
  },
  {
    in: 'line',
    matches: /^(?:def |class \w+:|elif |from [\w.]+ import |import \w+$|(?:for|if|while|with) .*:$|try:|print )/,
    hint: 'Write JavaScript or TypeScript, not Python.',
  },
  {
    in: 'line',
    matches: /^(?:curl|npx|npm|node|python3?|bash|sh|cd|ls|cat|git) /,
    hint: 'This is not a shell. Write JavaScript that calls tools: await servers.name.tool({ … }).',
  },
  {
    in: 'message',
    matches: /^The code ends too early|Unexpected end/,
    hint: 'Check that every bracket and quote is closed.',
  },
  {
    in: 'message',
    matches: /Invalid or unexpected token/,
    hint: 'Write text over several lines in `backticks`; check quotes inside quotes.',
  },
  {
    in: 'line',
    matches: /(['"])(?:(?!\1).)*\1\w/,
    hint: 'A quote inside quotes ends the text: write the text in `backticks`.',
  },
  { in: 'message', matches: /missing \) after argument list/, hint: 'A comma or a closing bracket is missing.' },
];

/** The first that fits. */
export function syntaxHint(message: string, line: string, code: string): string | undefined {
  const texts = { message, line: line.trim(), code };
  return hints.find((one) => one.matches.test(texts[one.in]))?.hint;
}

const longestExcerpt = 200;

/** The line without the space around it; of a long one, what is around the column. */
export function excerptOf(line: string, column = 1): string {
  const whole = line.trim();
  if (whole.length <= longestExcerpt) return whole;
  const start = Math.max(0, Math.min(column - 1 - longestExcerpt / 2, line.length - longestExcerpt));
  const part = line.slice(start, start + longestExcerpt).trim();
  return `${start > 0 ? '…' : ''}${part}${start + longestExcerpt < line.length ? '…' : ''}`;
}
