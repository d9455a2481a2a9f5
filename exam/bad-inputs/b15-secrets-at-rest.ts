/** B15: what lies in the data folder and the database, who may read it, what happens without its key, and whether refusals tell by their time. */

import { statSync } from 'node:fs';
import { startGate } from '../../test/kit/oauth-gate.ts';
import { startIssuer } from '../../test/kit/oauth-issuer.ts';
import { serverCommand, startServer } from '../../test/servers/launch.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import {
  expectNotIn,
  expectNotKept,
  letWrite,
  type Planted,
  pathsBelow,
  plant,
  signInTo,
} from '../kit/canary-search.ts';
import { runCommand } from '../kit/command-line.ts';
import { otherKeys } from '../kit/other-keys.ts';
import { makeToken, operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';
import { compareGuesses } from '../kit/token-timing.ts';

const sizes = { quick: { pairs: 120 }, full: { pairs: 10_000 } };
const mostErrors = 3;
/** Of this many comparisons one may be chance: it is then repeated, and has to hold. */
const mostTries = 2;

export const secretsAtRest: Check = {
  id: 'B15',
  kind: 'bad inputs',
  title: 'Secrets at rest, and the time of refusals',
  passes:
    'no secret in plain text, files for the owner alone, nothing without the key, medians within 3 standard errors',
  eras: ERAS,
  isAboutStore: true,
  async run(rig, size) {
    await using issuer = await startIssuer({ scopes: 'notes:read' });
    await using behind = await startServer({});
    await using gate = await startGate({ upstream: behind.url, issuer: () => issuer, scope: 'notes:read' });
    const setup = await rig.open({
      servers: { local: {} },
      config: {
        connect: { maxRetries: 0 },
        access: { privateHosts: ['127.0.0.1'], keyring: 'off' },
        limits: { failedSignInsPerMinute: 0 },
      },
    });
    const planted = plant(rig.random, 'env', 'flag', 'header', 'query');
    const secrets: Record<string, string> = { ...planted };
    await rig.part('planting', async () => {
      await keepSecrets(setup, planted, gate.url);
      for (const name of ['one', 'two', 'three']) secrets[name] = await makeToken(setup, name);
      for (const header of new Set(gate.seen)) if (header) secrets[`signed in ${header.length}`] = header.slice(7);
      for (const era of ERAS) await useToken(rig, setup, era, secrets.one ?? '');
    });
    rig.expect(Object.keys(secrets).length >= 8, `Only ${Object.keys(secrets).length} secrets are kept.`);
    await letWrite();
    rig.figure('files', await expectNotKept(rig, setup, secrets, 'while it runs'));
    rig.figure('secrets', Object.keys(secrets).length);
    expectNotIn(rig, 'the log', setup.gateway.log(), secrets);
    await rig.part('exports', () => exports(rig, setup, secrets));
    modes(rig, setup);
    await rig.part('keys', () => otherKeys(rig, setup));
    await rig.part('timing', () => timing(rig, setup, secrets.two ?? '', sizes[size].pairs));
    await order(setup, 'servers.remove', { name: 'stored' });
  },
};

async function keepSecrets(setup: Setup, planted: Planted, gateUrl: string): Promise<void> {
  const { command, args } = serverCommand({ toolCount: 1 });
  const specs = {
    stored: { command, args: [...args, '--key', planted.flag], env: { SOME_TOKEN: planted.env } },
    remote: {
      url: `http://127.0.0.1:9/mcp?key=${planted.query}`,
      headers: { Authorization: `Bearer ${planted.header}` },
    },
    gated: { url: gateUrl },
  };
  for (const [name, spec] of Object.entries(specs))
    await operate(setup, setup.gateway.ownerToken, 'servers.add', { name, spec });
  await signInTo(setup, 'gated');
}

async function useToken(rig: Rig, setup: Setup, era: 'legacy' | 'modern', token: string): Promise<void> {
  const { said } = await (await setup.agent(era, { token })).call('local.echo', { text: 'hello' });
  rig.expect(said === 'hello', `${era}: a new token does not work: ${said.slice(0, 200)}`);
}

async function exports(rig: Rig, setup: Setup, secrets: Planted): Promise<void> {
  for (const command of [['list'], ['token', 'list'], ['audit'], ['auth'], ['doctor'], ['project', 'list']]) {
    const { printed } = await runCommand(setup, [...command, '--json']);
    rig.expect(printed.length > 0, `toolcrib ${command.join(' ')} printed nothing.`);
    expectNotIn(rig, `toolcrib ${command.join(' ')}`, printed, secrets);
  }
  const again = await operate(setup, setup.gateway.ownerToken, 'tokens.list', {});
  expectNotIn(rig, 'the list of tokens', again.text, secrets);
}

/** The config file and its folder are the owner's own; all else is made by the gateway. */
function modes(rig: Rig, setup: Setup): void {
  const paths = pathsBelow(setup.dataDir).filter((path) => !/(?:toolcrib|conscience)\.json$/.test(path));
  for (const path of paths) {
    const { mode } = statSync(path);
    rig.expect((mode & 0o077) === 0, `${path.replace(setup.dataDir, 'DATA')} has mode ${(mode & 0o777).toString(8)}.`);
  }
  for (const name of ['owner-token', 'agent-token', ...(setup.shared ? [] : ['secret-key', 'toolcrib.db'])])
    rig.expect(
      paths.some((path) => path.endsWith(name)),
      `There is no ${name} to look at.`,
    );
}

/** The first character right or wrong, and all but the last right or wrong: it must take the same time to say no. */
async function timing(rig: Rig, setup: Setup, token: string, pairs: number): Promise<void> {
  const random = rig.draw('timing');
  const other = (character: string) => (character === 'A' ? 'B' : 'A');
  const start = token.indexOf('_') + 1;
  const wrong = [...token].map((character, at) => (at < start ? character : other(character))).join('');
  const guesses = {
    'first character': wrong.slice(0, start) + token[start] + wrong.slice(start + 1),
    'all but the last': token.slice(0, -1) + other(token.at(-1) ?? ''),
  };
  for (const [what, guess] of Object.entries(guesses)) {
    let found = { errors: Number.POSITIVE_INFINITY, differenceUs: 0 };
    for (let turn = 0; turn < mostTries && found.errors >= mostErrors; turn += 1)
      found = await compareGuesses(setup.gateway.url, [guess, wrong], pairs, () => random.share() < 0.5);
    rig.figure(`${what} standard errors`, found.errors);
    rig.expect(
      found.errors < mostErrors,
      `${what}: the medians lie ${found.errors.toFixed(1)} standard errors (${found.differenceUs.toFixed(1)} µs) apart.`,
    );
  }
  rig.figure('samples', pairs * 4);
}
