/** B28: messages by a grammar, most of them wrong somewhere, at every door and from servers of every kind. */

import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { fuzzBridge } from '../kit/fuzz-bridge.ts';
import { fuzzDoor } from '../kit/fuzz-door.ts';
import { fuzzLists, fuzzServer, type Wire } from '../kit/fuzz-server.ts';

/** Cases on each side; a side is shared by its doors or its servers. */
const sizes = {
  quick: { cases: 400, early: 30, lists: 2 },
  full: { cases: 100_000, early: 2_000, lists: 200 },
};
/** Messages of an agent over HTTP, and through the bridge, which has one pipe for all. */
const shareByHttp = 0.8;
const doors = ['/mcp?surface=direct', '/mcp', '/servers/sibling/mcp'];
const tools = [
  { name: 'utter', runAs: 'utter' },
  { name: 'echo', runAs: 'echo' },
  { name: 'mutate', runAs: 'mutate', inputSchema: { type: 'object' } },
];
const timeoutMs = 1_500;
const wires: Readonly<Record<string, Wire>> = { pipe: 'lines', line: 'lines', body: 'body', events: 'events' };

export const fuzz: Check = {
  id: 'B28',
  kind: 'bad inputs',
  title: 'Fuzz by a grammar of JSON-RPC, both sides',
  passes: 'no crash, no hang over 5 s, every reply is valid JSON-RPC',
  eras: ERAS,
  async run(rig, size) {
    const { cases, early, lists } = sizes[size];
    const entry = { timeoutMs };
    const setup = await rig.open({
      servers: {
        pipe: { tools, entry },
        line: { tools, entry, era: 'modern' },
        body: { tools, entry, transport: 'http', era: 'modern' },
        events: { tools, entry, transport: 'http', era: 'legacy', responses: 'sse' },
      },
    });
    const casesOfDoor = Math.ceil((cases * shareByHttp) / (ERAS.length * doors.length));
    const casesOfBridge = Math.ceil((cases * (1 - shareByHttp)) / ERAS.length);
    for (const era of ERAS) {
      for (const door of doors) {
        const agent = await setup.agent(era, { door, name: `${era} ${door}` });
        await rig.part(agent.name, () => fuzzDoor(rig, agent, casesOfDoor));
      }
      await rig.part(`${era} bridge`, () => fuzzBridge(rig, setup, { era, cases: casesOfBridge }));
      await rig.part(`early ${era} bridge`, () => fuzzBridge(rig, setup, { era, cases: early, isEarly: true }));
    }
    rig.figure('agentCases', casesOfDoor * ERAS.length * doors.length + (casesOfBridge + early) * ERAS.length);
    let said = 0;
    for (const [at, [server, wire]] of Object.entries(wires).entries()) {
      const agent = await setup.agent(ERAS[at % 2] ?? 'modern', { name: `agent of ${server}` });
      await rig.part(server, async () => {
        said += await fuzzServer(rig, agent, { server, wire, cases: casesOf(cases, wire) });
      });
      await rig.part(`${server}, lists`, () => fuzzLists(rig, setup, agent, { server, rounds: lists }));
    }
    rig.figure('serverCases', said);
    rig.expect(said >= cases, `The servers said ${said} messages, and ${cases} were wanted.`);
    for (const era of ERAS) {
      const { said: text } = await (await setup.agent(era)).call('sibling.echo', { text: 'still here' });
      rig.expect(text === 'still here', () => `${era}: after all of it the sibling said ${text}.`);
    }
  },
};

/** One message is a call of its own where the answer is one body. */
function casesOf(cases: number, wire: Wire): number {
  return Math.ceil(wire === 'body' ? cases / 10 : (cases * 3) / 10);
}
