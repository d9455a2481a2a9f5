/** A door for one run of an agent. It offers tools like a door of the gateway, returns canned results and records the calls. It never reaches a server. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../access/access.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { type Call, checkedCall } from '../caller/caller.ts';
import { FailingServers, type Snapshot } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import { Door, HttpListener, SeenAgents } from '../door/door.ts';
import type { Result } from '../protocol/messages.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { answerable, cannedResult } from './canned-result.ts';
import type { ChosenCall } from './judge.ts';

export interface EvaluationDoor {
  readonly url: string;
  readonly token: string;
  /** True once the agent has read the list of tools. */
  readonly isListed: boolean;
  readonly calls: readonly ChosenCall[];
  /** Calls of the gateway's own tools, such as searches. */
  readonly lookups: number;
  /** Mistakes in calls, in their order. */
  readonly mistakes: readonly string[];
  close(): Promise<void>;
}

/** Opens a door that offers exactly these tools. */
export type OpenEvaluationDoor = (tools: Snapshot, surface: Config['optimize']['surface']) => Promise<EvaluationDoor>;

const agent: Principal = { id: 'evaluation', name: 'evaluation', scopes: new Set(['use']), mark: '' };

/** `layers` are those of the gateway. Layers that can reach a server or store something are replaced. */
export function evaluationDoors(layers: Uses<LayerName>, log: Log): OpenEvaluationDoor {
  return async (tools, surface) => {
    const record = new CallRecord();
    const context = layersFor(layers, tools, record);
    const token = `tc_${randomId()}${randomId()}`;
    const listener = await HttpListener.open({ host: '127.0.0.1', ports: [0], isAuthOff: false });
    const door = new Door({
      ...{ listener, only: 'agent', context, clock: layers.clock, log },
      authenticate: (given) => (isSame(given, token) ? agent : undefined),
      api: outOfReach,
      events: { follow: () => () => {} },
      metricsPage: () => '',
      ownerTools: () => [],
      jobs: { activeCount: 0, changed: new Signal<void>() },
      isReady: () => true,
      agents: new SeenAgents(layers.clock),
      onSessionEnd: () => {},
    });
    door.open();
    const url = `${listener.url}/mcp?surface=${surface}`;
    return {
      ...{ url, token, calls: record.calls, mistakes: record.mistakes },
      get isListed() {
        return record.isListed;
      },
      get lookups() {
        return record.lookups;
      },
      async close() {
        await door.close(0);
        await context.search.close();
      },
    };
  };
}

/** Most recorded calls; the time limit ends an agent that loops. */
const mostCalls = 20;

/** The acts of an agent at the door. */
class CallRecord {
  isListed = false;
  lookups = 0;
  readonly calls: ChosenCall[] = [];
  readonly mistakes: string[] = [];

  /** In place of the gateway's own way of making calls. */
  async answer(call: Call): Promise<Result> {
    const { server, tool, params, agent: side, definition } = call;
    side.trace.isRecorded = true;
    this.#add({
      tool: `${server}:${tool}`,
      arguments: isObject(params.arguments) ? (params.arguments as JsonObject) : {},
    }); // it came as JSON
    try {
      checkedCall(call);
    } catch (error) {
      this.mistakes.push(messageOf(error));
      throw error;
    }
    return cannedResult(definition);
  }

  /** Records a call of an unknown tool. */
  miss(): void {
    this.#add({ tool: null, arguments: null });
  }

  #add(call: ChosenCall): void {
    if (this.calls.length < mostCalls) this.calls.push(call);
  }
}

/** The layers that are not replaced store nothing of an agent and reach no server. */
function layersFor(layers: Uses<LayerName>, tools: Snapshot, record: CallRecord): Uses<LayerName> {
  const settings = searchingHere(layers.config());
  const config = () => settings;
  const catalog = {
    ...{ snapshot: offered(tools), changed: new Signal<void>(), renewed: new Signal<void>() },
    ...{ configured: new Signal<void>(), failing: new FailingServers(), pins: layers.catalog.pins },
    settle: async () => {},
    refresh: outOfReach,
    relist: outOfReach,
    isBeingListed: () => false,
    trouble: () => undefined,
  };
  return {
    ...layers,
    config,
    catalog,
    search: layers.search.over(catalog, config),
    downstream: {
      ...{ resourceUpdated: new Signal(), signIns: null },
      spec: (server) => tools.servers.get(server)?.spec,
      status: () => undefined,
      endSession: async () => {},
      subscribe: outOfReach,
      unsubscribe: outOfReach,
      reset: outOfReach,
      hurry: () => {},
    },
    caller: {
      execute: (call) => record.answer(call),
      forward: outOfReach,
      // Work of our own, such as a search, which may ask this very agent something.
      converse: (...request) => layers.caller.converse(...request),
    },
    access: {
      ...{ changed: new Signal<void>(), issuer: undefined, signIns: layers.access.signIns },
      renew: (principal) => principal,
      project: () => undefined,
    },
    audit: {
      record: async ({ action }) => {
        // All other calls of tools of servers are marked as recorded; tools of our own have no dot in their names, as methods have.
        if (action === 'tools.call') record.miss();
        else if (!action.includes('.')) record.lookups += 1;
      },
      recordRepeated: async () => {},
    },
    disclosure: {
      note: ({ kind }) => {
        record.isListed ||= kind === 'list';
      },
    },
  };
}

async function outOfReach(): Promise<never> {
  throw new GatewayError('SERVER_NOT_FOUND', 'There is no server behind this door.');
}

/** Asks no other model or gateway, which would cost the owner money. */
function searchingHere(config: Config): Config {
  const { search, llm } = config;
  const mode = search.mode === 'llm' || search.mode === 'cloud' ? 'hybrid' : search.mode;
  return {
    ...config,
    llm: { ...llm, provider: null },
    search: { ...search, mode, cloud: { ...search.cloud, url: null } },
  };
}

/** Nothing but tools, and each of them can be called. */
function offered({ servers, tools }: Snapshot): Snapshot {
  const entries = [...tools.values()].map((entry) => ({
    ...entry,
    definition: answerable(entry.definition),
    hold: undefined,
  }));
  const own = [...servers.values()].map((server) => ({
    ...server,
    ...{ resources: [], templates: [], prompts: [] },
    tools: entries.filter((entry) => entry.server === server.spec.name),
  }));
  return {
    servers: new Map(own.map((server) => [server.spec.name, server])),
    tools: new Map(entries.map((entry) => [entry.key, entry])),
  };
}

function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
