/** B24: input schemas that would fetch, recurse, explode or backtrack, and texts made for slow patterns. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { type Dict, ERAS } from '../kit/agent-requests.ts';
import { cpuMs, cpuStepMs } from '../kit/process-time.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const mostAddedMs = 100;
/** The fastest of this many runs is the cost on a quiet machine. */
const tries = 5;
/** Of the processor, for what is remembered afterwards: a schema is compiled, a text is read for the first time. */
const mostOnceMs = 1_000;
const evilText = `${'a'.repeat(40)}!`;

interface SchemaBomb {
  readonly name: string;
  readonly inputSchema: Dict;
  readonly args: Dict;
}

export const schemaBombs: Check = {
  id: 'B24',
  kind: 'bad inputs',
  title: 'Schema bombs and ReDoS',
  passes: 'nothing is fetched, each costs at most 100 ms beyond a plain call, and its siblings are listed',
  eras: ERAS,
  async run(rig) {
    const canary = await Canary.open();
    try {
      const bombs = schemaBombsFor(canary.url);
      const plain = { name: 'plain', inputSchema: { type: 'object', properties: { value: {} } } };
      const tools = [
        plain,
        ...bombs.map(({ name, inputSchema }) => ({ name, inputSchema })),
        { ...plain, name: 'last' },
      ];
      const setup = await rig.open({
        servers: {
          bombs: { tools },
          remote: { transport: 'http', era: 'modern', tools },
          // As a server of its own: a list that is refused as a whole would hide everything else.
          abyss: { tools: [plain], modes: { deepSchema: 40_000 } },
        },
        lateServers: ['abyss'],
      });
      for (const era of ERAS) {
        const agent = await setup.agent(era);
        await rig.part(`schemas, ${era}`, () => callAll(rig, setup.gateway.pid, agent, bombs));
        await rig.part(`texts, ${era}`, () => evilTexts(rig, setup, agent));
      }
      rig.expect(canary.fetched.length === 0, `The canary was asked for ${canary.fetched.join(', ')}.`);
    } finally {
      canary.close();
    }
  },
};

function schemaBombsFor(canaryUrl: string): SchemaBomb[] {
  const property = (schema: Dict): Dict => ({ type: 'object', properties: { value: schema } });
  const text = { value: evilText };
  const deep = (levels: number): Dict => {
    let schema: Dict = { type: 'string' };
    for (let at = 0; at < levels; at += 1) schema = { properties: { value: schema } };
    return { type: 'object', ...schema };
  };
  const doubled = (levels: number): Dict => ({
    ...property({ $ref: '#/$defs/d0' }),
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, at) => {
        const next = at === levels - 1 ? { type: 'integer' } : { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, { anyOf: [next, next] }];
      }),
    ),
  });
  const wide = property({ enum: Array.from({ length: 200_000 }, (_, at) => `a long enough choice ${at}`) });
  const patterns = ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '^(?=(a+))\\1+$'];
  return [
    { name: 'fetching', inputSchema: property({ $ref: `${canaryUrl}/schema.json` }), args: text },
    {
      name: 'fetching_meta',
      inputSchema: { ...property({}), $schema: `${canaryUrl}/meta.json`, $id: `${canaryUrl}/id` },
      args: text,
    },
    { name: 'fetching_dynamic', inputSchema: property({ $dynamicRef: `${canaryUrl}/dynamic.json#x` }), args: text },
    { name: 'itself', inputSchema: { $ref: '#' }, args: text },
    {
      name: 'each_other',
      inputSchema: {
        ...property({ $ref: '#/$defs/a' }),
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      },
      args: text,
    },
    { name: 'doubled', inputSchema: doubled(20), args: text },
    { name: 'deep', inputSchema: deep(100), args: text },
    { name: 'wide', inputSchema: wide, args: text },
    {
      name: 'names',
      inputSchema: { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } },
      args: { [evilText]: 'x' },
    },
    ...patterns.map((pattern, at) => ({
      name: `pattern_${at}`,
      inputSchema: property({ type: 'string', pattern }),
      args: { value: at % 2 === 0 ? evilText : `${'a'.repeat(50_000)}!` },
    })),
  ];
}

async function callAll(rig: Rig, pid: number, agent: ExamAgent, bombs: readonly SchemaBomb[]): Promise<void> {
  const listed = await agent.tools();
  for (const server of ['bombs', 'remote']) {
    for (const name of ['plain', 'last'])
      rig.expect(listed.includes(`${server}.${name}`), `${server}.${name} is not listed.`);
  }
  rig.expect(listed.includes('abyss.plain'), 'The sibling of a tool whose schema is 80,000 levels deep is not listed.');
  const plainMs = await fastest(rig, pid, () => agent.call('bombs.plain', { value: evilText }));
  rig.figure('plainMs', plainMs);
  for (const { name, args } of bombs) {
    let said = '';
    const tookMs = await fastest(rig, pid, async () => {
      const reply = await agent.call(`bombs.${name}`, args);
      said = reply.text;
      rig.expect(reply.message?.result !== undefined, () => `${name} got ${reply.status} ${reply.text.slice(0, 300)}`);
    });
    rig.figure('addedMs', tookMs - plainMs);
    rig.expect(
      tookMs - plainMs <= mostAddedMs,
      `${name} took ${Math.round(tookMs)} ms, a plain call ${Math.round(plainMs)} ms: ${said.slice(0, 200)}`,
    );
  }
}

/** Long texts for everything that may be matched against a pattern of ours or of a server. */
async function evilTexts(rig: Rig, setup: Setup, agent: ExamAgent): Promise<void> {
  const { pid } = setup.gateway;
  const search = await setup.agent(agent.era, { door: '/mcp?surface=search' });
  const texts = [
    'a'.repeat(50_000),
    `${'a '.repeat(25_000)}!`,
    '/'.repeat(50_000),
    '{'.repeat(50_000),
    `${'ab'.repeat(10_000)}${'"'.repeat(30_000)}`,
  ];
  const asks: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
    'tool_discovery query': (text) => search.call('tool_discovery', { query: text }),
    'tool_info toolKey': (text) => search.call('tool_info', { toolKey: text }),
    'a tool name': (text) => ask(agent, 'tools/call', { name: text, arguments: {} }),
    'a resource address': (text) => ask(agent, 'resources/read', { uri: `test://sibling/${text}` }),
  };
  const plainMs = await fastest(rig, pid, () => search.call('tool_discovery', { query: 'say something back' }));
  for (const [what, put] of Object.entries(asks)) {
    for (const text of texts) {
      const tookMs = await fastest(rig, pid, () => put(text));
      rig.figure('textMs', tookMs - plainMs);
      rig.expect(
        tookMs - plainMs <= mostAddedMs,
        `${what} of ${text.length} characters (${text.slice(0, 4)}…) took ${Math.round(tookMs)} ms.`,
      );
    }
  }
}

/** A request whose name is too long to be repeated in a header; what becomes of it is the gateway's business. */
function ask(agent: ExamAgent, method: string, params: Dict): Promise<unknown> {
  const id = agent.nextId();
  const { body } = agent.written({ id, method, params });
  return agent.request({ id, method, params: {}, body });
}

/**
 * As seen from outside or as processor time of the gateway, whichever is less: on a busy machine the first grows without
 * anybody's fault. Beyond three times the limit no busy machine is an excuse, unless others are examined beside it.
 */
async function fastest(rig: Rig, pid: number, run: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < tries; turn += 1) {
    const [start, cpuBefore] = [performance.now(), cpuMs(pid)];
    await run();
    const [seenMs, usedMs] = [performance.now() - start, cpuMs(pid) - cpuBefore + cpuStepMs];
    rig.figure('onceMs', usedMs);
    rig.expect(usedMs <= mostOnceMs, `One request took ${Math.round(usedMs)} ms of the processor.`);
    const isTooLong = rig.size === 'full' && seenMs > 3 * mostAddedMs;
    best = Math.min(best, isTooLong ? seenMs : Math.min(seenMs, usedMs));
    // Once is enough where it is far from the limit.
    if (best < mostAddedMs / 4) break;
  }
  return best;
}

/** A listener that nobody has any business with. */
class Canary {
  readonly fetched: string[] = [];
  readonly #server = http.createServer((request, response) => {
    this.fetched.push(request.url ?? '');
    response.end('{"type":"object"}');
  });

  static async open(): Promise<Canary> {
    const canary = new Canary();
    await new Promise<void>((resolve) => canary.#server.listen(0, '127.0.0.1', resolve));
    return canary;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
