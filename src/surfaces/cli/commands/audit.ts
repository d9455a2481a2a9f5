/** `toolcrib audit`: who did what, when, and how it ended. */

import type { AuditLine } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { type AuditListing, auditLines, newestAudit } from '../audit-pages.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { followAudit } from '../follow-audit.ts';
import { toPrintableJson, writeText } from '../print.ts';
import { auditLine, renderAudit } from '../render-audit.ts';
import { withAdmin } from '../with-admin.ts';

const outcomes = ['ok', 'arguments', 'tool', 'server', 'timeout', 'cancelled', 'refused', 'failed', 'not-ok'] as const;
const kinds = ['discovery', 'execution', 'administration', 'access'] as const;
const usualRecords = 50;
/** How many past records are shown before new ones. */
const usualBefore = 10;

export const audit = defineCommand({
  name: 'audit',
  summary: 'Show who did what, when, and how it ended',
  isVerbatim: true,
  description:
    'Shows searches, calls, changes by the owner, and sign-ins that were accepted or refused, newest first. With --json it prints one JSON record a line, oldest first; without --limit it exports all of them. Arguments are stored as hashes unless the config says "audit": { "arguments": true }.',
  flags: {
    follow: { summary: 'Keep printing new records until you stop it, also across restarts of the gateway' },
    kind: { value: 'KIND', choices: kinds, summary: 'Only records of this kind' },
    principal: { value: 'NAME', summary: 'Only records of this principal, by name or id, such as owner or agent' },
    server: { value: 'NAME', names: 'servers', summary: 'Only records about this server' },
    tool: { value: 'NAME', summary: 'Only records about this tool, by its name on the server' },
    project: { value: 'NAME', summary: 'Only records of this project' },
    request: {
      value: 'ID',
      summary: 'Only records of one request, by its id (the header x-request-id of the answer) or its trace',
    },
    outcome: { value: 'WORD', choices: outcomes, summary: 'Only records with this outcome; not-ok: with any but ok' },
    since: { value: 'TIME', summary: 'Only records since then: 30m, 2h, 7d, or a date such as 2026-01-31' },
    limit: {
      value: 'N',
      number: { least: 1, most: 100_000 },
      summary: 'Only the newest N records',
      default: `${usualRecords}; with --follow ${usualBefore}; with --json all`,
    },
  },
  examples: [
    { line: 'audit', meaning: 'The newest records.' },
    { line: 'audit --follow', meaning: 'New records as they come.' },
    { line: 'audit --kind execution --outcome refused --since 2h', meaning: 'Calls refused in the last two hours.' },
    { line: 'audit --json > audit.jsonl', meaning: 'Exports all records, one a line.' },
  ],
  async run({ flags, context }) {
    const { kind, principal, server, tool, project, request } = flags;
    const filter: AuditListing = {
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
    if (flags.follow) return follow(context, filter, flags.limit ?? usualBefore);
    return withAdmin(context, async ({ admin }): Promise<CommandOutcome> => {
      const limit = flags.limit ?? (context.isJson ? undefined : usualRecords);
      if (limit === undefined) {
        for await (const record of auditLines(admin, filter)) print(context, record);
        return {};
      }
      const records = await newestAudit(admin, filter, limit);
      if (!context.isJson) return { text: renderAudit(records, context) };
      for (const record of records.toReversed()) print(context, record);
      return {};
    });
  },
});

async function follow(context: CommandContext, filter: AuditListing, before: number): Promise<CommandOutcome> {
  await followAudit(context, filter, before, (record) => print(context, record));
  return { exitCode: exitCodes.ok };
}

function print(context: CommandContext, record: AuditLine): void {
  writeText(context.host.stdout, context.isJson ? toPrintableJson(record, 0) : auditLine(record, context.style));
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
