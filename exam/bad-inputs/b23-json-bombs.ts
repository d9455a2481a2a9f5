/** B23: JSON that is small to send and hard to take, and numbers that no double can hold, in both directions. */

import type { Check } from '../check.ts';
import type { ExamAgent, Reply } from '../kit/agent.ts';
import { ERAS, envelope } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** Too large for a double: 2^53 + 1. */
const bigNumber = '9007199254740993';
const withinMs = 5_000;
/** A million keys take their time to be written, too, where the machine is busy. */
const resultWithinMs = 15_000;
const tools = [
  { name: 'bomb', runAs: 'bomb' },
  { name: 'mirror', inputSchema: { type: 'object' } },
];

interface Bomb {
  readonly name: string;
  /** The text of a JSON value. */
  readonly value: () => string;
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const keyed = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join(',')}}`;
/** Members that a server which folds case reads as the name and the arguments of the call. */
const disguises = ['Name', 'ARGUMENTS', 'argumentſ', '_Meta'];
const bombs: readonly Bomb[] = [
  { name: 'depth 10,000', value: () => nested(10_000) },
  { name: 'depth 1,000,000', value: () => nested(1_000_000) },
  { name: '350,000 keys', value: () => keyed(350_000) },
  { name: '1,000,000 keys', value: () => keyed(1_000_000) },
  { name: '3.6 MB of \\u0000', value: () => `"${'\\u0000'.repeat(600_000)}"` },
  { name: '10 MB of \\u0000', value: () => `"${'\\u0000'.repeat(1_700_000)}"` },
  { name: '1e400', value: () => '1e400' },
  { name: '-1e400', value: () => '-1e400' },
  { name: 'a number beyond 2^53', value: () => bigNumber },
  { name: 'a number of 400 digits', value: () => '1'.repeat(400) },
];

/** The answers of a server, by the arguments of its tool. */
const results: readonly { readonly name: string; readonly args: Record<string, unknown>; readonly holds: string }[] = [
  { name: 'depth 10,000', args: { kind: 'depth', size: 10_000 }, holds: nested(10_000) },
  { name: 'depth 1,000,000', args: { kind: 'depth', size: 1_000_000 }, holds: nested(1_000_000) },
  { name: '1,000,000 keys', args: { kind: 'keys', size: 1_000_000 }, holds: '"k999999":0' },
  { name: '10 MB of \\u0000', args: { kind: 'nulls', size: 1_700_000 }, holds: '\\u0000'.repeat(1_700_000) },
  { name: '1e400', args: { kind: 'literal', literal: '1e400' }, holds: '1e400' },
  { name: 'a number beyond 2^53', args: { kind: 'literal', literal: bigNumber }, holds: bigNumber },
];

export const jsonBombs: Check = {
  id: 'B23',
  kind: 'bad inputs',
  title: 'JSON bombs, disguised members and number edge cases',
  passes: 'refused in plain words or passed on to the letter, within 5 s, nothing rounded',
  eras: ERAS,
  async run(rig, size) {
    const setup = await rig.open({
      servers: {
        local: { tools, modes: { journalRaw: true } },
        remote: { transport: 'http', era: 'modern', tools, modes: { journalRaw: true } },
        deaf: { tools, entry: { timeoutMs: 1_000 } },
      },
    });
    for (const [turn, era] of ERAS.entries()) {
      const agent = await setup.agent(era);
      // In a quick examination each era gets every second one.
      const isWanted = (at: number) => size === 'full' || at % ERAS.length === turn;
      for (const [at, bomb] of bombs.entries()) {
        if (isWanted(at)) await rig.part(`${bomb.name} as argument, ${era}`, () => asArgument(rig, setup, agent, bomb));
        if (isWanted(at + 1)) await rig.part(`${bomb.name} as body, ${era}`, () => asBody(rig, agent, bomb));
      }
      for (const member of disguises)
        await rig.part(`a member ${member}, ${era}`, () => asMember(rig, setup, agent, member));
      for (const id of [bigNumber, `-${bigNumber}`, '1e400', '1.5'])
        await rig.part(`id ${id}, ${era}`, () => asId(rig, agent, id));
      for (const [at, server] of ['local', 'remote'].entries()) {
        for (const [number, { name, args, holds }] of results.entries()) {
          if (!isWanted(at + number)) continue;
          await rig.part(`${name} from ${server}, ${era}`, () =>
            asResult(rig, agent, `${server}.bomb`, { name, args, holds }),
          );
        }
      }
    }
    const agent = await setup.agent('modern');
    const reply = await agent.call('deaf.bomb', { kind: 'id', literal: bigNumber });
    rig.expect(
      reply.errorType === 'TIMEOUT',
      () => `An answer with the id ${bigNumber} was taken: ${reply.text.slice(0, 300)}`,
    );
  },
};

function callBody(agent: ExamAgent, id: string, argumentsText: string): string {
  const meta = agent.era === 'modern' ? `,"_meta":${JSON.stringify(envelope())}` : '';
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"local.mirror","arguments":${argumentsText}${meta}}}`;
}

async function send(rig: Rig, agent: ExamAgent, id: number, body: string): Promise<Reply> {
  const params = { name: 'local.mirror' };
  return agent.request({ id, method: 'tools/call', params, body }, { deadlineMs: rig.patience(withinMs) });
}

/** Either the server got exactly this, or the agent got a refusal. */
async function asArgument(rig: Rig, setup: Setup, agent: ExamAgent, { name, value }: Bomb): Promise<void> {
  const text = value();
  const mark = rig.random.word('bomb');
  const reply = await send(
    rig,
    agent,
    agent.nextId(),
    callBody(agent, String(agent.nextId() - 1), `{"mark":"${mark}","value":${text}}`),
  );
  if (isRefused(reply)) return;
  const came = setup
    .server('local')
    .noted('raw')
    .map((entry) => String(entry.text))
    .find((one) => one.includes(mark));
  const isFaithful = came?.includes(`"value":${text}`) === true || came?.includes(`"value": ${text}`) === true;
  rig.expect(
    isFaithful,
    () =>
      `${name} as argument: the server got ${came?.slice(-200) ?? 'nothing'}, the agent ${reply.status} ${reply.text.slice(0, 200)}`,
  );
}

async function asBody(rig: Rig, agent: ExamAgent, { name, value }: Bomb): Promise<void> {
  const reply = await send(rig, agent, agent.nextId(), value());
  rig.expect(isRefused(reply), () => `${name} as body got ${reply.status} ${reply.text.slice(0, 200)}`);
}

async function asMember(rig: Rig, setup: Setup, agent: ExamAgent, member: string): Promise<void> {
  const mark = rig.random.word('member');
  const id = agent.nextId();
  const whole = callBody(agent, String(id), '{}');
  const reply = await send(rig, agent, id, whole.replace('"name":', `"${member}":"${mark}","name":`));
  const came = setup
    .server('local')
    .noted('raw')
    .some((entry) => String(entry.text).includes(mark));
  rig.expect(
    isRefused(reply) && !came,
    () => `${member} beside its original got ${reply.status} ${reply.text.slice(0, 200)}`,
  );
}

async function asId(rig: Rig, agent: ExamAgent, id: string): Promise<void> {
  const reply = await send(rig, agent, 0, callBody(agent, id, '{}'));
  const isEchoed = reply.text.includes(`"id":${id},`) || reply.text.includes(`"id":${id}}`);
  rig.expect(isRefused(reply) || isEchoed, () => `The id ${id} got ${reply.status} ${reply.text.slice(0, 200)}`);
  // A refusal, or an echo with another id, is not the answer to another request.
  reply.exchange.strays = 0;
}

/** A no in the protocol's own words, and not an apology for a fault of ours. */
function isRefused({ status, message, text }: Reply): boolean {
  if (status === 413) return true;
  const code = message?.error?.code;
  return code !== undefined && code !== -32603 && text.length < 5_000;
}

async function asResult(rig: Rig, agent: ExamAgent, tool: string, bomb: (typeof results)[number]): Promise<void> {
  const { isError, said, text, tookMs, errorType, status } = await agent.call(tool, bomb.args, {
    deadlineMs: rig.patience(resultWithinMs),
  });
  rig.figure('resultMs', tookMs);
  const isNamed = isError && errorType !== undefined && errorType !== 'TIMEOUT' && said.length > 20;
  const isLinked = text.includes('toolcrib://result/');
  rig.expect(
    isNamed || isLinked || (!isError && text.includes(bomb.holds)),
    () => `${bomb.name} from ${tool}: ${status} ${text.slice(0, 300)}`,
  );
}
