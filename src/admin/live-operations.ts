/** The live state as a whole; the events of the gateway keep it up to date. */

import { z } from 'zod';
import { lineOfRecord } from './audit-operations.ts';
import { type LiveSnapshot, mostLiveJobs, mostLiveRecords } from './live-events.ts';
import { operation } from './operation.ts';
import { liveJob, liveServer } from './watch-gateway.ts';

export const liveOperations = {
  'live.snapshot': operation({
    summary:
      'The live state: servers, jobs, the latest records and the calls of the last hour. Events after its id keep it up to date',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<LiveSnapshot> {
      // First the mark: what changes while the rest is read is told again.
      const mark = context.events.mark();
      const { catalog, audit, metrics, optimizer } = context;
      await metrics.refresh();
      const names = [...catalog.snapshot.servers.keys()];
      const [servers, latest, jobs] = await Promise.all([
        Promise.all(names.map((name) => liveServer(context, name))),
        audit.list({ limit: mostLiveRecords }),
        optimizer.jobs.list(),
      ]);
      return {
        ...mark,
        servers,
        jobs: jobs.slice(-mostLiveJobs).map(liveJob),
        records: latest.records.map(lineOfRecord),
        minutes: metrics.lastHour().filter(({ callCount }) => callCount > 0),
      };
    },
  }),
};
