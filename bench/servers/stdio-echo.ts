/** An echo server on stdin and stdout, of the legacy era: so little work that it never holds up what is measured. */

import { answerOf } from './echo.ts';

let rest = '';

process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let out = '';
  for (const line of lines) {
    const answer = line === '' ? undefined : answerOf(JSON.parse(line), 'legacy');
    if (answer !== undefined) out += `${answer}\n`;
  }
  if (out !== '') process.stdout.write(out);
});
