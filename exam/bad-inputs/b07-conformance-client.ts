/** B07: the official suite as the server of the gateway, in both sets of requirements, sign-ins included. */

import { runClientLeg } from '../../test/conformance/client-leg.ts';
import { REVISIONS, type Revision, scenariosOf } from '../../test/conformance/suite.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';

const wanted: Readonly<Record<Revision, number>> = { '2025-11-25': 18, '2026-07-28': 32 };
/** A quick examination plays these alone: the scenario tests play all of them in every run. */
const quickScenarios: readonly string[] = ['tools_call', 'auth/metadata-default'];

export const conformanceClient: Check = {
  id: 'B07',
  kind: 'bad inputs',
  title: 'Official conformance, as a client',
  passes: '18 of 18 and 32 of 32 required scenarios (a quick run: those named in it)',
  eras: ERAS,
  async run(rig, size) {
    // The suite starts gateways of its own; this one shows that the machine is sound meanwhile.
    const setup = await rig.open({ servers: { local: {} } });
    for (const era of ERAS) await (await setup.agent(era)).call('local.echo', { text: 'hello' });
    const isMeant = (name: string) => size === 'full' || quickScenarios.includes(name);
    const passed: string[] = [];
    for (const order of size === 'full' ? [{}] : quickScenarios.map((only) => ({ only })))
      for await (const { scenario, revision, isPassed, output } of runClientLeg(order)) {
        rig.expect(isPassed, () => `${revision} ${scenario}: ${output.slice(-500)}`);
        if (isPassed) passed.push(`${revision} ${scenario}`);
      }
    for (const revision of REVISIONS) {
      const { required } = await scenariosOf(revision, 'client');
      rig.expect(required.size === wanted[revision], `${revision} requires ${required.size}, not ${wanted[revision]}.`);
      const meant = [...required].filter(isMeant);
      const good = meant.filter((name) => passed.includes(`${revision} ${name}`));
      rig.figures[revision] =
        `${good.length} of ${meant.length}${size === 'quick' ? ` (of ${required.size} in all)` : ''}`;
      rig.expect(
        meant.length > 0 && good.length === meant.length,
        `${revision}: ${good.length} of ${meant.length} passed.`,
      );
    }
  },
};
