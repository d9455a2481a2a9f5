/** Resources and prompts of a server that is still being listed: they are waited for, and not called missing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/config/config.ts';
import { type Agent, connectAgent, KINDS, type Kind } from '../kit/agents.ts';
import { type GatedCommand, gatedCommand } from '../kit/gated-command.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { planServers } from '../kit/planned-servers.ts';
import { liveResource } from '../servers/content.ts';
import { waitForEntry } from '../servers/launch.ts';

const uri = liveResource('late');
/** The time between two looks at listings that are under way. */
const lookAgainMs = 50;

/** A server that has not said anything yet, behind a gateway whose time stands still. */
class LateStage implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly gate: GatedCommand;
  readonly journal: string;
  readonly #gateway: TestGateway;

  private constructor(clock: ManualClock, gate: GatedCommand, journal: string, gateway: TestGateway) {
    this.clock = clock;
    this.gate = gate;
    this.journal = journal;
    this.#gateway = gateway;
  }

  static async open(): Promise<LateStage> {
    const clock = new ManualClock();
    const gate = await gatedCommand('runner');
    const { servers, journalOf } = planServers({ late: { era: 'legacy' } });
    const late = gate.behind(servers.late ?? {});
    const gateway = await openTestGateway({ servers: { late }, clock, isCold: true });
    return new LateStage(clock, gate, journalOf('late'), gateway);
  }

  /** An agent that is let in before the server has said anything: its list is not waited for any longer. */
  async agent(kind: Kind): Promise<Agent> {
    const connecting = this.connect(kind, '/mcp?surface=direct');
    await this.waitOut(limits.listWaitMs);
    return connecting;
  }

  connect(kind: Kind, door: string): Promise<Agent> {
    const { url, agentHeaders } = this.#gateway;
    return connectAgent(kind, `${url}${door}`, { headers: agentHeaders });
  }

  /** Lets the time pass that somebody has begun to wait. */
  async waitOut(ms: number): Promise<void> {
    await this.clock.awaited(lookAgainMs);
    await this.clock.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    let isClosed = false;
    const closing = this.#gateway.close().finally(() => {
      isClosed = true;
    });
    // Streams that are still open get their time to end.
    while (!isClosed) await this.clock.advance(limits.drainGraceMs);
    await closing;
    await this.gate[Symbol.asyncDispose]();
  }
}

for (const kind of KINDS) {
  test(`[CAT-20] an agent of SDK ${kind} gets what the server that is being listed brings`, async () => {
    await using stage = await LateStage.open();
    await using agent = await stage.agent(kind);
    const { client } = agent;
    const asked = [
      client.readResource({ uri: 'test://late/text' }).then(({ contents }) => contents[0]?.uri),
      client.readResource({ uri: 'test://late/city/bern' }).then(({ contents }) => contents[0]?.uri),
      client.getPrompt({ name: 'late.greeting' }).then(({ messages }) => messages.length),
      client
        .complete({
          ref: { type: 'ref/prompt', name: 'late.translate' },
          argument: { name: 'language', value: 'du' },
        })
        .then(({ completion }) => completion.values),
      agent.listen([uri]),
    ];
    await stage.gate.open();
    assert.deepEqual(await Promise.all(asked), ['test://late/text', 'test://late/city/bern', 1, ['dutch'], undefined]);
    await waitForEntry(stage.journal, ({ event }) => event === 'subscribe');
  });

  test(`[CAT-18] at the door of a server that is being listed an agent of SDK ${kind} calls its tools`, async () => {
    await using stage = await LateStage.open();
    const connecting = stage.connect(kind, '/servers/late/mcp');
    await stage.clock.awaited(limits.firstListWaitMs);
    await stage.clock.advance(limits.firstListWaitMs);
    await using agent = await connecting;
    const saying = agent.say('late.echo', { text: 'early' });
    await stage.clock.awaited(limits.firstListWaitMs);
    await stage.gate.open();
    assert.equal(await saying, 'early');
  });

  test(`[CAT-20] after that time the error to SDK ${kind} names the server that may still bring it`, async () => {
    await using stage = await LateStage.open();
    await using agent = await stage.agent(kind);
    const asked = [
      assert.rejects(
        agent.client.readResource({ uri }),
        /Resource not found: .*still being listed may have it: late\./,
      ),
      assert.rejects(agent.client.getPrompt({ name: 'late.greeting' }), /no prompt .*may have it: late\./),
    ];
    await stage.waitOut(limits.firstListWaitMs);
    await Promise.all(asked);
    await stage.gate.open();
  });
}
