/** One tool: what it says of itself, its parameters, how its calls went, and why agents miss it where they do. */

import type { OutputOf, SurveyedTool } from '../../../admin/admin.ts';
import { duration, percent } from '../../../base/amounts.ts';
import {
  claimsInWords,
  isDefinitionReadable,
  isSchema,
  rowsOfSchema,
  type SchemaRow,
  toolStateInWords,
} from '../../wording/wording.ts';
import { cells, facts, gap, indented, paragraph, stack } from '../parts/layout.ts';
import { useScroll } from '../parts/scroll.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useTui } from '../state.ts';
import { absenceTone } from './tools.ts';

type ToolInfo = OutputOf<'tools.info'>;
type ToldReason = OutputOf<'tools.why'>['answers'][number];

export function useToolView({ toolKey }: { readonly toolKey: string }): Screen {
  const { rows } = useTui();
  const server = toolKey.slice(0, Math.max(0, toolKey.indexOf(':')));
  const survey = useAnswer('tools.survey', { server }, ['tools', 'definitions', 'figures']).data;
  const tool = survey?.find((one) => one.toolKey === toolKey);
  const isMissing = survey !== undefined && (tool === undefined || tool.absence !== null);
  const why = useAnswer('tools.why', isMissing ? { name: toolKey } : null, ['tools', 'servers']).data;
  const info = useAnswer('tools.info', tool && isDefinitionReadable(tool) ? { toolKey } : null, ['tools']).data;
  const { body, commands } = useScroll({
    ...{ name: `tool ${toolKey}`, rows },
    content: stack(
      survey ? null : say('Loading…', 'faint'),
      ...(why?.answers ?? []).map(reasonLine),
      tool ? figuresOf(tool, info) : null,
      ...(info ? definitionLines(info) : []),
    ),
  });
  return { title: `Tool: ${toolKey}`, commands, body };
}

function reasonLine({ message, hint, reason }: ToldReason) {
  return paragraph([message, hint].filter(Boolean).join(' '), undefined, reason === null ? 'good' : 'notice');
}

function figuresOf(tool: SurveyedTool, info: ToolInfo | undefined) {
  const { absence, callCount, successRate, p50Ms, p95Ms } = tool;
  const { annotations } = definitionIn(info);
  const claims = claimsInWords(annotations);
  const calls = `${callCount}, success ${percent(successRate)}, p50 ${duration(p50Ms)}, p95 ${duration(p95Ms)}`;
  return facts([
    ['For agents', toolStateInWords(tool), absenceTone(absence)],
    ['Calls', callCount === 0 ? 'none yet' : calls],
    ...(tool.category === '' ? [] : [['Category', tool.category] as const]),
    ...(claims === '' ? [] : [['The server says', claims] as const]),
    ...(info ? [['Fingerprint', String(info.fingerprint).slice(0, 12)] as const] : []),
  ]);
}

function definitionIn(info: ToolInfo | undefined): Readonly<Record<string, unknown>> {
  return isSchema(info?.definition) ? info.definition : {};
}

function definitionLines(info: ToolInfo) {
  const { description, inputSchema, outputSchema } = definitionIn(info);
  const { canonicalDescription: canonical } = info;
  const own = typeof description === 'string' && description.trim() !== '' ? description : 'It has none.';
  return [
    ...section(canonical === undefined ? 'Description' : 'Improved description, which agents read', paragraph(own)),
    ...(typeof canonical === 'string' ? section('The server’s own description', paragraph(canonical)) : []),
    ...section('Parameters', schemaTable(inputSchema, 'It takes none.')),
    ...(outputSchema === undefined ? [] : section('Answer', schemaTable(outputSchema, 'Any object.'))),
  ];
}

function section(title: string, content: ReturnType<typeof stack>) {
  return [gap(title), say(title, 'strong'), content];
}

/** A line for the name and type of each, and below it what is said about it. */
function schemaTable(schema: unknown, empty: string) {
  const rows = rowsOfSchema(schema);
  if (rows.length === 0) return say(empty, 'faint');
  const width = Math.min(40, Math.max(...rows.map((row) => nameOf(row).length)) + 2);
  return stack(
    ...rows.map((row) => {
      const about = [row.description, ...limitsOf(row)].filter(Boolean).join(' ');
      return stack(
        cells([
          { text: nameOf(row), width },
          { text: row.type, width: 16, tone: 'faint' },
          { text: row.isRequired ? 'required' : '' },
        ]),
        about === '' ? null : indented(2 * row.depth + 2, paragraph(about, undefined, 'faint')),
      );
    }),
  );
}

function nameOf({ name, depth }: SchemaRow): string {
  return `${'  '.repeat(depth)}${name}`;
}

function limitsOf(row: SchemaRow): readonly string[] {
  return [
    ...(row.default === '' ? [] : [`Default: ${row.default}.`]),
    ...(row.allowed === '' ? [] : [`Allowed: ${row.allowed}.`]),
  ];
}
