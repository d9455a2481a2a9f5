/** `toolcrib store copy`: the whole store, from one database to another. */

import { systemClock } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import { absolutePath } from '../../../base/folders.ts';
import { silentLog } from '../../../base/log.ts';
import { version } from '../../../base/own-program.ts';
import { plural } from '../../../base/plural.ts';
import { redactText } from '../../../base/redact.ts';
import type { CopyReport } from '../../../store/store.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { showProgress } from '../progress.ts';
import { configLocation, offerTrust } from '../trusted-config.ts';

export const storeCopy = defineCommand({
  name: 'store copy',
  summary: 'Copy the whole store to another database',
  description:
    'From SQLite to PostgreSQL, or back. Stop every gateway first, and set store.url in the config afterwards. The copy is compared with the original. If it is interrupted, the same command goes on where it stopped. Large results are not copied, because they expire. Keep the password out of the address: set PGPASSWORD or use ~/.pgpass.',
  args: { to: { summary: 'postgres://USER:PASSWORD@HOST/DATABASE, or sqlite:PATH; it must be new or empty' } },
  flags: { from: { summary: 'The store to copy', value: 'URL', default: 'the one of the config' } },
  examples: [
    {
      line: 'store copy postgres://ada@db.example/toolcrib',
      meaning: 'From the file in the data folder to PostgreSQL.',
    },
    {
      line: 'store copy sqlite:./toolcrib.db --from postgres://ada@db.example/toolcrib',
      meaning: 'From PostgreSQL to a file.',
    },
  ],
  async run({ args, flags, context }) {
    if (flags.from === undefined) await offerTrust(context);
    return withFolder(context, async () => {
      const from = flags.from === undefined ? await configuredStore(context) : storeUrlOf(flags.from, context);
      const to = storeUrlOf(args.to, context);
      const { copyStore } = await import('../../../store/store.ts');
      const report = await showProgress(context.notes, 'Copying', (show) =>
        copyStore({
          from,
          to,
          clock: systemClock,
          log: silentLog,
          signal: context.host.signal,
          onProgress: ({ step, rows, total }) => {
            const text = step === 'copy' ? `Copying ${total} rows` : `Comparing ${total} rows`;
            show({ text, done: total === 0 ? 1 : rows / total });
          },
        }),
      );
      return { data: { from: redactText(from), to: redactText(to), ...report }, text: render(report, redactText(to)) };
    });
  },
});

/** No gateway may use the data folder meanwhile. */
async function withFolder<T>({ dataDir }: CommandContext, work: () => Promise<T>): Promise<T> {
  const { acquireDataLock } = await import('../../../store/store.ts');
  const describe = { pid: process.pid, startedAt: systemClock.now(), url: null, version };
  const result = await acquireDataLock({ dataDir, clock: systemClock, describe });
  if (result.kind === 'other')
    throw new GatewayError(
      'DATA_LOCKED',
      `A gateway is using the data folder ${dataDir}: process ${result.holder.pid}.`,
      {
        hint: 'Stop it first: toolcrib stop',
      },
    );
  try {
    return await work();
  } finally {
    await result.lock.release();
  }
}

async function configuredStore(context: CommandContext): Promise<string> {
  const { loadConfig } = await import('../../../config/config.ts');
  return (await loadConfig(configLocation(context))).config.store.url;
}

function storeUrlOf(given: string, { host: { cwd, env } }: CommandContext): string {
  if (/^postgres(?:ql)?:\/\/./.test(given)) return given;
  const path = /^sqlite:(?:\/\/)?(?<path>.+)$/.exec(given)?.groups?.path;
  if (path !== undefined && path !== ':memory:') return `sqlite:${absolutePath(path, env, cwd)}`;
  throw new GatewayError('USAGE', `"${redactText(given)}" is not a store.`, {
    hint: 'Write postgres://USER:PASSWORD@HOST/DATABASE or sqlite:PATH.',
  });
}

function render({ rows, found, tables }: CopyReport, to: string): string {
  const before = found === 0 ? '' : ` ${plural(found, 'row')} of them had been copied before.`;
  return [
    `Copied ${plural(rows, 'row')} of ${plural(tables.length, 'table')} to ${to}, and compared them.${before}`,
    'To use it, set "store.url" in the config to that address.',
    ...(to.startsWith('postgres')
      ? ['Also set TOOLCRIB_SECRET_KEY to the key that sealed the secrets; docs/guides/replicas.md says where it is.']
      : []),
  ].join('\n');
}
