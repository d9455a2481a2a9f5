/** Fills the tables of pins when they are made: everything listed before there were any counts as approved at first sight. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { fingerprintOf } from '../../base/ids.ts';
import { isObject } from '../../base/json.ts';

/** The tables as this step finds and makes them, whatever becomes of them later. */
interface Tables {
  listing: { server: string; head: string; listed_at: number };
  item: { server: string; kind: string; name: string; fingerprint: string; definition: string };
  pin: Record<string, string | number | null>;
}

export async function approveListed(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<Tables>;
  for (const { server, head, listed_at } of await db.selectFrom('listing').selectAll().execute()) {
    const items = await db
      .selectFrom('item')
      .select(['kind', 'name', 'fingerprint', 'definition'])
      .where('server', '=', server)
      .execute();
    const words = wordsIn(head);
    const all = [
      ...items,
      { kind: 'server', name: '', fingerprint: fingerprintOf(words), definition: JSON.stringify(words) },
    ];
    for (const { kind, name, fingerprint, definition } of all) {
      const approved = { approved_fingerprint: fingerprint, approved_definition: definition };
      const row = {
        server,
        kind,
        name,
        source: '',
        state: 'approved',
        ...approved,
        reasons: '[]',
        since: listed_at,
        times: 0,
        passes: 0,
      };
      await db.insertInto('pin').values(row).execute();
    }
    await giveWay();
  }
}

/** A server's own words, as `wordsOf` of the catalog has it. */
function wordsIn(head: string): Record<string, string> {
  const { serverInfo, instructions }: Record<string, unknown> = JSON.parse(head);
  const { name, title, description } = isObject(serverInfo) ? serverInfo : {};
  const words = Object.entries({ name, title, description, instructions });
  return Object.fromEntries(words.filter((word): word is [string, string] => typeof word[1] === 'string'));
}
