/** `toolcrib audit`: who did what, when, and how it ended. */

import type { AuditLine } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { type AuditWish, auditLines, newestAudit } from '../audit-pages.ts';
import { defineCommand, type Outcome } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { followAudit } from '../follow-audit.ts';
import { toJson, writeText } from '../print.ts';
import { auditLine, renderAudit } from '../render-audit.ts';
import { withAdmin } from '../with-admin.ts';

const outcomes = ['ok', 'arguments', 'tool', 'server', 'timeout', 'cancelled', 'refused', 'failed'] as const;
const kinds = ['discovery', 'execution', 'administration', 'access'] as const;
const usualRecords = 50;
/** What is shown of the past before what follows. */
const usualBefore = 10;

export const audit = defineCommand({
  name: 'audit',
  summary: 'Who did what, when, and how it ended',
  isVerbatim: true,
  description:
    'Searches, calls, changes by the owner, and who was let in or turned away. The table shows the newest first. With --json every record is one line of JSON, the oldest first; without --limit all of them, which is how the audit is exported. Arguments are kept as hashes unless the config says "audit": { "arguments": true }.',
  flags: {
    follow: { summary: 'Go on printing what happens until it is stopped, also while the gateway starts again' },
    kind: { value: 'KIND', choices: kinds, summary: 'Only records of this kind' },
    principal: { value: 'NAME', summary: 'Only what this one did, by name or id, such as owner or agent' },
    server: { value: 'NAME', summary: 'Only what was about this server' },
    tool: { value: 'NAME', summary: 'Only what was about this tool, by the name that the server has for it' },
    project: { value: 'NAME', summary: 'Only what was done in this project' },
    request: {
      value: 'ID',
      summary: 'Only what one request caused, by its id (the header x-request-id of the answer) or by its trace',
    },
    outcome: { value: 'WORD', choices: outcomes, summary: 'Only what ended like this' },
    since: { value: 'TIME', summary: 'Only what happened since then: 30m, 2h, 7d, or a date such as 2026-01-31' },
    limit: {
      value: 'N',
      number: { least: 1, most: 100_000 },
      summary: 'Only the newest N records',
      default: `${usualRecords}; with --follow ${usualBefore}; with --json all`,
    },
  },
  examples: [
    { line: 'audit', meaning: 'What happened last.' },
    { line: 'audit --follow', meaning: 'What happens now.' },
    { line: 'audit --kind execution --outcome refused --since 2h', meaning: 'Calls that were refused lately.' },
    { line: 'audit --json > audit.jsonl', meaning: 'Exports everything that is kept, a record a line.' },
  ],
  async run({ flags, context }) {
    const { kind, principal, server, tool, project, request } = flags;
    const wish: AuditWish = {
      // The line was checked against the same words.
      kind: kind as AuditLine['kind'] | undefined,
      outcome: flags.outcome as (typeof outcomes)[number] | undefined,
      principal,
      server,
      tool,
      project,
      request,
      since: readSince(flags.since, Date.now()),
    };
    if (flags.follow) return follow(context, wish, flags.limit ?? usualBefore);
    return withAdmin(context, async ({ admin }): Promise<Outcome> => {
      const limit = flags.limit ?? (context.isJson ? undefined : usualRecords);
      if (limit === undefined) {
        for await (const record of auditLines(admin, wish)) print(context, record);
        return {};
      }
      const records = await newestAudit(admin, wish, limit);
      if (!context.isJson) return { text: renderAudit(records, context) };
      for (const record of records.toReversed()) print(context, record);
      return {};
    });
  },
});

async function follow(context: CommandContext, wish: AuditWish, before: number): Promise<Outcome> {
  await followAudit(context, wish, before, (record) => print(context, record));
  return { exitCode: exitCodes.ok };
}

function print(context: CommandContext, record: AuditLine): void {
  writeText(context.host.stdout, context.isJson ? toJson(record, 0) : auditLine(record, context.style));
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** As ISO 8601. Throws USAGE for what is neither. A date without a time begins at midnight, here. */
export function readSince(value: string | undefined, now: number): string | undefined {
  if (value === undefined) return undefined;
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(value) ?? [];
  const time = count === undefined ? parseDate(value) : now - Number(count) * (unitMs[unit ?? ''] ?? 0);
  if (time >= 0 && time <= 8.64e15) return new Date(time).toISOString();
  throw new GatewayError('USAGE', `--since must be a time, not "${value}".`, {
    hint: 'Write how long ago, such as 30m, 2h or 7d, or a date such as 2026-01-31 or 2026-01-31T09:30.',
  });
}

function parseDate(value: string): number {
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return Number.NaN;
  // Dates alone would be read as UTC.
  return Date.parse(value.length === 10 ? `${value}T00:00` : value);
}
