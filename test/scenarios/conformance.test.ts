/** The official conformance suite, directly and through the gateway's transparent door: every difference is ours. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type ClientPart, type ClientResult, clientScenarios, runClientLeg } from '../conformance/client-leg.ts';
import { compare, runSuite, type SuiteOptions, type SuiteResult } from '../conformance/run-suite.ts';
import { REVISIONS, type Revision } from '../conformance/suite.ts';
import { type ConformanceServer, startConformanceServer } from '../fixtures/conformance-server.ts';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';

const REQUIRED = { '2025-11-25': 30, '2026-07-28': 37 } as const;

/** Checks that may be less than a success, because the gateway does on purpose what they only take note of. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'server-sse-multiple-streams:server-sse-streams-functional':
    'Quick requests are answered as JSON; the protocol leaves that to the server, and the check then has no streams to count.',
  'server-sse-polling:server-sse-disconnect-resume':
    'The gateway resumes the stream that the server closes by itself and keeps its own open, so that the agent has nothing to resume.',
};

let fixture: ConformanceServer;
let gateway: TestGateway;
before(async () => {
  fixture = await startConformanceServer();
  gateway = await openTestGateway({ servers: { fixture: { url: fixture.url } }, isAuthOff: true });
});
after(async () => {
  await gateway.close();
  await fixture.close();
});

for (const requirements of REVISIONS) {
  test(`[CONF-01] all that ${requirements} requires of a server passes through the gateway, and no check does worse`, async () => {
    const url = `${gateway.url}/servers/fixture/mcp?names=plain`;
    // The suite changes what it tests: each run has a server of its own.
    const untouched = await startConformanceServer();
    const direct = await runSuite({ url: untouched.url, requirements }).finally(() => untouched.close());
    let seen = await throughGateway(direct, { url, requirements });
    // The suite gives some checks a fixed time, which a busy machine can miss: those have a second try.
    if (!isDeepStrictEqual(seen, asDirect(requirements))) seen = await throughGateway(direct, { url, requirements });
    assert.deepEqual(seen, asDirect(requirements));
  });
}

/** How the gateway does beside the server behind it. */
async function throughGateway(direct: SuiteResult, options: SuiteOptions) {
  const through = await runSuite(options);
  const worse = compare(direct, through).filter(({ isWorse }) => isWorse);
  return {
    failures: through.failures.filter(({ isRequired }) => isRequired),
    required: through.required,
    worse: worse.filter(({ check, through: status }) => ACCEPTED[check] === undefined || status !== 'INFO'),
  };
}

function asDirect(requirements: Revision) {
  const total = REQUIRED[requirements];
  return { failures: [], required: { passed: total, total }, worse: [] };
}

test('[CONF-02] the gateway passes what the suite asks of a client, in both eras', async () => {
  assert.equal((await clientScenarios('plain')).length, 13);
  await assertPassed('plain');
});

test('[CONF-04] the gateway passes what the suite asks of a client that signs in, in both eras', async () => {
  const byRevision = Map.groupBy(await clientScenarios('auth'), ({ revision }) => revision);
  assert.deepEqual(
    [...byRevision].map(([revision, scenarios]) => [revision, scenarios.length]),
    [
      ['2025-11-25', 14],
      ['2026-07-28', 25],
    ],
  );
  await assertPassed('auth');
});

let played: Promise<ClientResult[]> | undefined;

/** Every scenario of a part passed. All of both parts are played at the first question: the suite plays a whole revision at once. */
async function assertPassed(part: ClientPart): Promise<void> {
  played ??= Array.fromAsync(runClientLeg({}));
  const ofPart = await clientScenarios(part);
  const passed: string[] = [];
  for (const { scenario, revision, isPassed, output } of await played) {
    if (!ofPart.some((one) => one.scenario === scenario && one.revision === revision)) continue;
    assert.ok(isPassed, `${revision} ${scenario}:\n${output}`);
    passed.push(`${revision} ${scenario}`);
  }
  const expected = ofPart.map(({ revision, scenario }) => `${revision} ${scenario}`);
  assert.deepEqual(passed.toSorted(), expected.toSorted());
}

test('[CONF-03] with a token the same door shows and calls the same, and without one nothing', async () => {
  await using guarded = await openTestGateway({ servers: { fixture: { url: fixture.url } } });
  const url = `${guarded.url}/servers/fixture/mcp?names=plain`;
  for (const kind of KINDS) {
    await using direct = await connectAgent(kind, fixture.url, { headers: {} });
    await using agent = await connectAgent(kind, url, { headers: guarded.agentHeaders });
    const names = async ({ client }: typeof agent) =>
      (await client.listTools()).tools.map(({ name }) => name).toSorted();
    assert.deepEqual(await names(agent), await names(direct), kind);
    assert.deepEqual(await agent.call('test_multiple_content_types'), await direct.call('test_multiple_content_types'));
    assert.equal(await agent.say('test_simple_text'), await direct.say('test_simple_text'));
    await assert.rejects(connectAgent(kind, url, { headers: {} }), /401|unauthori[sz]ed|token/i);
  }
});
