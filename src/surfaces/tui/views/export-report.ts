/** The report of the optimizer as a file: Markdown, or a page where its name ends with .html. */

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { useState } from 'react';
import { systemCodeOf } from '../../../base/errors.ts';
import { editText, type TypedText } from '../keys.ts';
import { gap, inLine, paragraph, stack } from '../parts/layout.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useOrders, useRemembered, useTui } from '../state.ts';

/** `server`: only its tools. */
export function useExportReportView({ server }: { readonly server?: string }): Screen {
  const { tell, ask } = useTui();
  const [written, setWritten] = useState<string>();
  const { give } = useOrders();
  const first = server === undefined ? 'optimizer-report.md' : `optimizer-report-${server}.md`;
  const [typed, setTyped] = useRemembered<TypedText>(`export ${server ?? ''}`, { text: first, at: first.length });
  const file = resolve(typed.text.trim());
  const write = async (text: string, flag: 'w' | 'wx') => {
    try {
      await writeFile(file, text, { flag });
      setWritten(file);
      tell('The report is written.');
    } catch (error) {
      if (flag === 'wx' && systemCodeOf(error) === 'EEXIST')
        return ask({ text: 'This file exists. Replace it?', yes: () => void write(text, 'w') });
      tell(troubleInWords(error), 'failed');
    }
  };
  const save = async () => {
    const format = /\.html?$/i.test(file) ? 'html' : 'markdown';
    const answer = await give('optimize.report', { ...(server !== undefined && { server }), format });
    if (answer?.text) await write(answer.text, 'wx');
  };
  const onKey = (key: string) => {
    if (editText(typed, key) === undefined) return false;
    setTyped((last) => editText(last, key) ?? last);
    return true;
  };
  return {
    title: `Export the report of ${server ?? 'all servers'}`,
    commands: typed.text.trim() === '' ? [] : [{ key: 'enter', label: 'Write', run: () => void save() }],
    onKey,
    body: stack(
      inLine(say('File:', 'faint'), say(`${typed.text}█`)),
      gap('gap'),
      paragraph(
        written === file ? `Written to ${file}` : `It will be ${file}`,
        3,
        written === file ? 'good' : undefined,
      ),
      say('A name that ends with .html makes a page with charts; any other, Markdown.', 'faint'),
    ),
  };
}
