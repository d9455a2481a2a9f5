/** A store that several gateways share, as the approvals of each meet it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Approvals } from '../../src/access/approvals/approvals.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Signal } from '../../src/base/signal.ts';
import { type ApprovalNoteStore, createSqliteStore, type StoreEvent } from '../../src/store/store.ts';
import { ManualClock } from './manual-clock.ts';

export const timeoutMs = 300_000;

/** Gateways hear nothing of each other, unless they are told to look. */
export async function openSharedStore(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'approvals-'));
  const unsealed: string[] = [];
  const sealer = {
    seal: async (text: string) => `sealed:${text}`,
    unseal: async (sealed: string, purpose: string) => {
      unsealed.push(purpose);
      return sealed.replace('sealed:', '');
    },
    holdKeysOf: async () => {},
  };
  const whole = createSqliteStore({ file: join(root, 'store.db'), clock: systemClock, log: silentLog, sealer });
  await whole.open();
  t.after(async () => {
    await whole.close();
    rmSync(root, { recursive: true, force: true });
  });
  const gateway = async (own: string) => {
    const facts = { id: own, url: 'http://a', version: '1', startedAt: 1, keyMark: '', configMark: '' };
    const beat = () => whole.beatReplica(facts, []);
    await beat();
    const clock = new ManualClock();
    const changed = new Signal<void>();
    const state = {
      list: whole.listApprovalNotes,
      change: whole.changeApprovals,
      gone: [] as string[],
      unheardSince: null as number | null,
    };
    const events = new Signal<StoreEvent>();
    const listApprovalNotes = () => state.list();
    const changeApprovals: ApprovalNoteStore['changeApprovals'] = (change) => state.change(change);
    const logged: string[] = [];
    const approvals = new Approvals({
      store: {
        ...whole,
        listApprovalNotes,
        changeApprovals,
        events,
        isShared: true,
        get unheardSince() {
          return state.unheardSince;
        },
      },
      audit: { record: async () => {} },
      clock,
      log: { ...silentLog, info: (event) => logged.push(event), warn: (event) => logged.push(event) },
      settings: () => ({ approvalTimeoutMs: timeoutMs }),
      replicas: { own, changed, isGone: (id) => state.gone.includes(id) },
    });
    await approvals.open();
    t.after(() => approvals.close());
    const fail = (error: Error | undefined) => {
      state.change = error ? () => Promise.reject(error) : whole.changeApprovals;
    };
    const sees = async () => {
      await approvals.refresh();
      return approvals.waiting().map(({ facts }) => facts.id);
    };
    return { approvals, clock, changed, events, state, logged, beat, fail, sees };
  };
  return { whole, gateway, unsealed };
}
