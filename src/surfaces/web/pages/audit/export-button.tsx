/** Saves the records that a filter gives as a file. */

import { useState } from 'preact/hooks';
import type { InputOf } from '../../../../admin/admin.ts';
import { Button } from '../../parts/basic.tsx';
import { saveFile } from '../../parts/download.ts';
import { formatCount } from '../../parts/texts.tsx';
import { run } from '../../session.ts';
import { usePageState } from '../../state.ts';
import { type ExportFormat, exportHead, exportLine } from './write-records.ts';

/** Records of one file: the page holds them all until it is saved. The command line has no such limit. */
const mostExported = 200_000;

interface ExportButtonProps {
  readonly label: string;
  readonly format: ExportFormat;
  readonly question: InputOf<'audit.list'>;
}

export function ExportButton({ label, format, question }: ExportButtonProps) {
  const { tell } = usePageState();
  const [isRunning, setRunning] = useState(false);
  const save = async () => {
    setRunning(true);
    try {
      const { parts, count, isCut } = await exportRecords(question, format);
      saveFile(`audit.${format}`, 'text/plain', ...parts);
      if (isCut)
        tell(
          `Only the oldest ${formatCount(count)} records were saved. To export all, run: toolcrib audit --json`,
          'failed',
        );
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error), 'failed');
    } finally {
      setRunning(false);
    }
  };
  return <Button label={isRunning ? 'Exporting …' : label} disabled={isRunning} onClick={() => void save()} />;
}

async function exportRecords(question: InputOf<'audit.list'>, format: ExportFormat) {
  const parts = [exportHead(format)];
  let count = 0;
  for (let after: number | null = 0; after !== null; ) {
    if (count >= mostExported) return { parts, count, isCut: true };
    const page: Awaited<ReturnType<typeof nextPage>> = await nextPage(question, after);
    parts.push(page.records.map((record) => exportLine(record, format)).join(''));
    count += page.records.length;
    after = page.next;
  }
  return { parts, count, isCut: false };
}

function nextPage(question: InputOf<'audit.list'>, after: number) {
  return run('audit.export', { ...question, after });
}
