/** The report of the optimizer for its views, or a notice why there is none. */

import type { ReactElement } from 'react';
import type { ShownReport } from '../wording/wording.ts';
import { paragraph, stack } from './parts/layout.ts';
import { say } from './parts/text.ts';
import { troubleInWords, useAnswer } from './state.ts';

interface AskedReport {
  readonly report: ShownReport | undefined;
  /** To be shown where there is no report. */
  readonly notice: ReactElement;
}

/** Of one server, or of all. */
export function useOptimizerReport(server?: string): AskedReport {
  const isOn = useAnswer('gateway.status', {}, ['config']).data?.isOptimizing;
  const input = server === undefined ? {} : { server };
  const { data, error } = useAnswer('optimize.report', isOn ? input : null, ['tools', 'config', 'optimizer']);
  return { report: data?.report, notice: noticeOf(isOn, error) };
}

function noticeOf(isOn: boolean | undefined, error: unknown): ReactElement {
  if (error !== undefined) return stack(paragraph(troubleInWords(error), 6, 'bad'));
  if (isOn !== false) return stack(say('Reading descriptions, prompts and runs…', 'faint'));
  return stack(
    say('The optimizer is off.', 'strong'),
    paragraph(
      'It measures how often descriptions lead to their tools, and tries better ones. Start the gateway with --enable-optimization, or set "optimize": { "enabled": true } in the config file. Agents read the servers’ own descriptions until you promote one.',
      6,
    ),
  );
}
