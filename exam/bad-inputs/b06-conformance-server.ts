/** B06: the official suite against a server behind the gateway, in both sets of requirements. */

import { runSuite } from '../../test/conformance/run-suite.ts';
import { REVISIONS, type Revision } from '../../test/conformance/suite.ts';
import { startConformanceServer } from '../../test/fixtures/conformance-server.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const wanted: Readonly<Record<Revision, number>> = { '2025-11-25': 30, '2026-07-28': 37 };

export const conformanceServer: Check = {
  id: 'B06',
  kind: 'bad inputs',
  title: 'Official conformance, as a server',
  passes: '30 of 30 and 37 of 37 required scenarios',
  eras: ERAS,
  async run(rig) {
    await using fixture = await openFixture();
    const setup = await rig.open({
      servers: { local: {} },
      // The suite knows of no tokens; on loopback nobody else is let in either.
      config: { access: { auth: 'none' } },
      configText: (config) => JSON.stringify(withFixture(config as Config, fixture.url)),
    });
    for (const requirements of REVISIONS) await rig.part(requirements, () => play(rig, setup, requirements));
    for (const era of ERAS) await (await setup.agent(era)).call('local.echo', { text: 'still here' });
  },
};

interface Config {
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

function withFixture(config: Config, url: string): Config {
  return { ...config, mcpServers: { ...config.mcpServers, fixture: { url } } };
}

async function openFixture(): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = await startConformanceServer();
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

async function play(rig: Rig, setup: Setup, requirements: Revision): Promise<void> {
  const url = `${setup.gateway.url}/servers/fixture/mcp?names=plain`;
  const { required, checks, failures } = await runSuite({ url, requirements });
  rig.figures[requirements] = `${required.passed} of ${required.total}`;
  rig.figure(`${requirements} single checks`, checks.size);
  for (const { scenario, check, message, isRequired } of failures)
    rig.expect(!isRequired, `${requirements} ${scenario}, ${check}: ${message}`);
  const count = wanted[requirements];
  rig.expect(required.passed === count && required.total === count, `${required.passed} of ${count} passed.`);
}
