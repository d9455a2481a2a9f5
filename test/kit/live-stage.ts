/** Components of the dashboard without a browser: they draw nothing, and what they are drawn for can be counted. */

import type { TestContext } from 'node:test';
import { h, render } from 'preact';
import type { AuditLine, GatewayEvent, LiveServer } from '../../src/admin/admin.ts';
import { foldEvents, LiveStore, viewOf } from '../../src/surfaces/live/live.ts';
import { PageContext } from '../../src/surfaces/web/state.ts';

interface LiveStage {
  readonly live: LiveStore;
  /** Events that come together. */
  tell(...events: GatewayEvent[]): void;
  /** Everything begins anew with this, as after a connection that was lost for long. */
  begin(id: string, records: readonly AuditLine[]): void;
  show(Shown: () => null): void;
}

export function recordEvent(id: number, record: Partial<AuditLine> = {}): GatewayEvent {
  return { id: `r.${id}`, kind: 'record', data: { id, ...record } as AuditLine };
}

export function serverEvent(id: number): GatewayEvent {
  return { id: `r.${id}`, kind: 'server', data: { name: `server-${id}` } as LiveServer };
}

export function openLiveStage(t: TestContext): LiveStage {
  const live = new LiveStore();
  const begin: LiveStage['begin'] = (id, records) => {
    const view = viewOf({ id, servers: [], jobs: [], records, minutes: [], revisions: {} });
    live.set({ connection: 'live', view });
  };
  begin('r.0', []);
  return {
    live,
    begin,
    tell: (...events) => live.set({ connection: 'live', view: foldEvents(live.view, events) }),
    show(Shown) {
      // All that a page needs of a browser while nothing is drawn.
      const place = { childNodes: [], firstChild: null } as unknown as Element;
      Object.assign(globalThis, {
        document: { documentElement: { dataset: {} } },
        location: { href: 'http://127.0.0.1/', hash: '' },
      });
      t.after(() => {
        render(null, place);
        for (const name of ['document', 'location']) Reflect.deleteProperty(globalThis, name);
      });
      const state = { live, person: { name: 'owner', scopes: [] }, tell: () => {} };
      render(h(PageContext.Provider, { value: state }, h(Shown, null)), place);
    },
  };
}
