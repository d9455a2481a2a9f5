/** The report as Markdown, and as one HTML page that needs nothing else. */

import { plural } from '../base/plural.ts';
import { printable } from '../base/text.ts';
import { type Question, questions } from './rate-description.ts';
import type { OptimizationReport, ServerOptimization, ToolReport } from './report.ts';

const questionCount = Object.keys(questions).length;

export const reportForms = ['markdown', 'html'] as const;

export function writeReport(report: OptimizationReport, form: (typeof reportForms)[number]): string {
  return form === 'html' ? pageOf(report) : report.servers.flatMap(markdownOf).join('\n');
}

const marks: Readonly<Record<ToolReport['status'], string>> = { optimized: '✓', baseline: '○', unoptimized: '·' };

function headOf({ serverName, toolCount, optimizedCount, totalEvals, avgImprovement }: ServerOptimization): string {
  const gain = avgImprovement === null ? '' : `, ${points(avgImprovement)} on average`;
  return `${serverName}: ${optimizedCount} of ${toolCount} tools optimized${gain}; ${plural(totalEvals, 'run')}`;
}

function markdownOf(server: ServerOptimization): string[] {
  const rows = server.tools.map((tool) => {
    const { diagnosis, status, promptCount, candidateCount } = tool;
    const { finding, answered, expectedGain, advice } = diagnosis;
    const found = finding ? `${finding.right} of ${finding.all}` : '–';
    const rival = finding?.confusions[0];
    const taken = rival ? `${rival.tool} (${rival.prompts})` : '–';
    const cells = [tool.name, status, `${answered} of ${questionCount}`, found, taken, promptCount, candidateCount];
    return [...cells, sincePromoted(tool) || '–', expectedGain, advice.join(' ')].map(cellOf).join(' | ');
  });
  return [
    `## ${cellOf(headOf(server))}`,
    '',
    '| tool | status | questions answered | found by prompts | taken for it | prompts | candidates | since promoted | expected gain | advice |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
  ];
}

/** No text of a server may end a cell or be read as markup. */
function cellOf(value: string | number): string {
  return printable(String(value)).replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

/** The gain of a promotion, and who forced it and why; empty without one. */
function sincePromoted({ promotion, metrics, baseline }: ToolReport): string {
  if (!promotion || !metrics || !baseline) return '';
  const forced = promotion.evidence === 'forced' ? `, forced by ${promotion.by}: ${promotion.why}` : '';
  return `${points(metrics.overall - baseline.overall)}${forced}`;
}

function points(share: number): string {
  const value = Math.round(share * 100);
  return `${value < 0 ? '−' : '+'}${Math.abs(value)} points`;
}

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c2128;background:#fff}
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border-bottom:1px solid #d8dee4;padding:.35rem .6rem;text-align:left;vertical-align:top}
th{font-weight:600}.bar{background:#eaeef2;height:.7rem;width:8rem;border-radius:2px;overflow:hidden}.bar i{display:block;height:100%;background:#1f6feb}
.matrix td{text-align:center}.matrix th{white-space:nowrap}small{color:#57606a}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}th,td{border-color:#30363d}.bar{background:#30363d}small{color:#8b949e}}`;

/** Without scripts and without anything from elsewhere. */
function pageOf({ servers, totals }: OptimizationReport): string {
  const gain = totals.avgImprovement === null ? '' : `, ${points(totals.avgImprovement)} on average`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tool descriptions</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>Tool descriptions</h1>
<p>${totals.optimizedCount} of ${totals.toolCount} tools optimized${gain}; ${plural(totals.totalEvals, 'run')}.</p>
${servers.map(sectionOf).join('\n')}
</body></html>
`;
}

function sectionOf(server: ServerOptimization): string {
  return `<section><h2>${escaped(headOf(server))}</h2>
<table><thead><tr><th>Tool</th><th>Found by its prompts</th><th>Answers</th><th>Leaves open</th><th>Traffic</th><th>Gain</th></tr></thead><tbody>
${server.tools.map(rowOf).join('\n')}
</tbody></table>${matrixOf(server)}</section>`;
}

function rowOf(tool: ToolReport): string {
  const { finding, says, answered, traffic, expectedGain, advice } = tool.diagnosis;
  const found = finding
    ? `${barOf(finding.right / finding.all)}<small>${finding.right} of ${finding.all}</small>`
    : '<small>no prompts</small>';
  const open = (Object.keys(questions) as Question[]).filter((question) => !says[question]);
  const gain = sincePromoted(tool);
  const lost = `${plural(traffic.calls, 'call')}, ${traffic.argumentErrors} with wrong arguments, ${traffic.calledThenAnother} followed by another tool, found and not taken ${plural(traffic.foundNotTaken, 'time')}`;
  const since = gain === '' ? '' : `<br><small>since promoted ${escaped(gain)}</small>`;
  return `<tr><td>${marks[tool.status]} <b>${escaped(tool.name)}</b><br><small>${escaped(advice.join(' '))}</small></td><td>${found}</td><td>${barOf(answered / questionCount)}</td><td>${open.map((question) => questions[question]).join(', ')}</td><td><small>${lost}</small></td><td>${expectedGain}${since}</td></tr>`;
}

function barOf(share: number): string {
  return `<div class="bar"><i style="width:${Math.round(share * 100)}%"></i></div>`;
}

/** Columns that a matrix can have and still be read. */
const mostColumns = 12;

/** Which tools come first for the prompts of which. */
function matrixOf({ serverName, tools }: ServerOptimization): string {
  const rows = tools.filter(({ diagnosis }) => (diagnosis.finding?.confusions.length ?? 0) > 0);
  const totals = new Map<string, number>();
  for (const { diagnosis } of rows)
    for (const { tool, prompts } of diagnosis.finding?.confusions ?? [])
      totals.set(tool, (totals.get(tool) ?? 0) + prompts);
  const columns = [...totals].sort(([, a], [, b]) => b - a).slice(0, mostColumns);
  if (columns.length === 0) return '';
  const cells = rows.map(({ name, diagnosis: { finding } }) => {
    const counts = columns.map(([column]) => finding?.confusions.find(({ tool }) => tool === column)?.prompts ?? 0);
    const shades = counts.map((count) => {
      const depth = Math.min(0.9, count / (finding?.all ?? 1));
      return `<td style="background:rgba(207,34,46,${depth.toFixed(2)})">${count === 0 ? '' : count}</td>`;
    });
    return `<tr><th>${escaped(name)}</th>${shades.join('')}</tr>`;
  });
  return `<h3>Taken for tools of ${escaped(serverName)}</h3><table class="matrix"><thead><tr><th></th>${columns.map(([column]) => `<th>${escaped(column)}</th>`).join('')}</tr></thead><tbody>${cells.join('\n')}</tbody></table>`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return printable(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
