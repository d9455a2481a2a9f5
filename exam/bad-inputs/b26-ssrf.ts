/** B26: addresses that lead inside, in every place where an address can stand, and sign-in pages that are no pages. */

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../test/kit/processes.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { type CanaryPort, openCanary } from '../kit/canary-port.ts';
import { runCommand, runProgram } from '../kit/command-line.ts';
import { falseNames } from '../kit/false-names.ts';
import { type Lies, type LyingServer, openLyingServer } from '../kit/lying-server.ts';
import { operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** This machine, in every spelling but the plain ones. */
const oddHosts = ['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0x7f.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'];
const plainHosts = ['127.0.0.1', 'localhost', '[::1]'];
/** An address where nobody listens; the refusal is reported. */
const specialHosts = [
  ...['169.254.169.254', '[fe80::1]', '0.0.0.0', '[::]', '224.0.0.1', '255.255.255.255', '[fd00:ec2::254]'],
  ...['100.100.100.200', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::ffff:169.254.169.254]'],
];
const privateHosts = ['10.0.0.1', '192.168.0.1', '172.16.0.1', '[fd00::1]', '[fc00::1]'];
const schemes = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'ftp://127.0.0.1/x',
  'x:y',
  'vbscript:x',
];

interface Stage {
  readonly folder: string;
  readonly mark: string;
  readonly canary: CanaryPort;
  readonly liar: LyingServer;
}

export const ssrf: Check = {
  id: 'B26',
  kind: 'bad inputs',
  title: 'Addresses that lead inside, in every field and by redirect',
  passes: 'the canary is never visited, no shell is started, and what the owner lists can be reached',
  eras: ERAS,
  open: ['addresses in imported files: they are added in the way that is tried here'],
  async run(rig, size) {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-exam-marks-'));
    await using canary = await openCanary();
    await using liar = await openLyingServer();
    const stage: Stage = { folder, mark: join(folder, 'mark'), canary, liar };
    try {
      const names = pathToFileURL(join(import.meta.dirname, '../kit/false-names.ts')).href;
      const inner = `http://inner.example:${canary.port}`;
      const setup = await rig.open({
        servers: { remote: { transport: 'http' } },
        config: {
          connect: { maxRetries: 0, timeoutMs: 5_000 },
          search: { cloud: { url: `${inner}/search` }, embedding: { provider: 'openai', baseUrl: inner } },
          llm: { provider: 'openai-compatible', baseUrl: inner, model: 'x' },
          telemetry: { otlpUrl: inner },
        },
        env: { NODE_OPTIONS: `--import ${names}`, EXAM_FALSE_NAMES: 'yes', OPENAI_API_KEY: 'none' },
      });
      await rig.part('servers', () => servers(rig, setup, stage));
      await rig.part('services', () => services(rig, setup, stage));
      await rig.part('fields', () => fields(rig, setup, stage));
      await rig.part('redirects', () => redirects(rig, setup, stage));
      await rig.part('sign-in', () => signIns(rig, setup, stage, size === 'full'));
      await rig.part('pages', () => pages(rig, setup, stage));
      await rig.part('browser', () => browser(rig, setup, stage));
      rig.expect(canary.visits() === 0, `The canary was visited ${canary.visits()} times.`);
      rig.expect(!existsSync(stage.mark), 'The marker file is there: a shell has read an address.');
      await rig.part('opt-in', () => optIn(setup, stage));
      for (const era of ERAS) await (await setup.agent(era)).call('remote.echo', { text: 'still here' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function refused(rig: Rig, what: string, reply: { readonly status: number; readonly text: string }): void {
  const { status, text } = reply;
  rig.expect(
    status >= 400 || /was not contacted|failed|plainly/.test(text),
    () => `${what}: ${status} ${text.slice(0, 300)}`,
  );
  rig.expect(!text.includes('canary of'), `${what}: the error repeats what the place said.`);
}

/** A server's own URL: what does not look like the inside must not lead there. */
async function servers(rig: Rig, setup: Setup, { canary }: Stage): Promise<void> {
  const { ownerToken } = setup.gateway;
  const owner = await setup.agent('modern', { door: '/gateway/mcp', isOwner: true });
  const named = Object.keys(falseNames);
  const hosts = [...oddHosts, ...specialHosts, ...named].map((host) => `${host}:${canary.port}`);
  let tried = 0;
  for (const [at, host] of hosts.entries()) {
    // A quick examination takes the two by turns.
    const types = rig.size === 'full' ? ['http', 'sse'] : [at % 2 === 0 ? 'http' : 'sse'];
    for (const type of types) {
      const spec = { url: `http://${host}/mcp`, type };
      const reply = await operate(setup, ownerToken, 'servers.add', { name: 'far', spec });
      refused(rig, `servers.add ${host}`, reply);
      await operate(setup, ownerToken, 'servers.remove', { name: 'far' });
    }
    await owner.call('add_server', { name: 'far', url: `http://${host}/mcp` });
    await operate(setup, ownerToken, 'servers.remove', { name: 'far' });
    tried += types.length + 1;
  }
  for (const url of schemes)
    refused(rig, url, await operate(setup, ownerToken, 'servers.add', { name: 'far', spec: { url } }));
  await operate(setup, ownerToken, 'servers.remove', { name: 'far' });
  rig.figure('urls of servers', tried + schemes.length);
}

/** Services that the config names, under a name that leads inside: every part that uses one is used. */
async function services(rig: Rig, setup: Setup, { canary }: Stage): Promise<void> {
  for (const mode of ['cloud', 'semantic', 'hybrid', 'llm'] as const)
    await operate(setup, setup.gateway.ownerToken, 'tools.search', { query: ['add numbers'], mode });
  const { problems } = await order(setup, 'search.status', {});
  rig.expect(
    problems.join().includes('was not contacted'),
    () => `The search knows of no refusal: ${problems.join(' ')}`,
  );
  rig.expect(canary.visits() === 0, 'A service under a false name was asked.');
}

/** Odd spellings are refused in every field that takes an address, before anything is dialled. */
async function fields(rig: Rig, setup: Setup, { folder, canary }: Stage): Promise<void> {
  const made = (url: string): readonly (readonly [string, object])[] => [
    ['mcpServers', { mcpServers: { far: { url } } }],
    ['search.embedding.baseUrl', { search: { embedding: { baseUrl: url } } }],
    ['search.cloud.url', { search: { cloud: { url } } }],
    ['llm.baseUrl', { llm: { baseUrl: url } }],
    ['telemetry.otlpUrl', { telemetry: { otlpUrl: url } }],
    ['access.oauth.issuer', { access: { auth: 'oauth', oauth: { issuer: url } } }],
    ['oauth.publicUrl', { oauth: { publicUrl: url } }],
    ['oauth.clientMetadataUrl', { oauth: { clientMetadataUrl: url } }],
  ];
  const file = join(folder, 'fields.json');
  const urls = [`http://${rig.random.one(oddHosts)}:${canary.port}/x`, rig.random.one(schemes)];
  for (const [name, config] of urls.flatMap(made)) {
    writeFileSync(file, JSON.stringify(config));
    const { code, printed } = await runCommand(setup, ['config', 'check', '--config', file]);
    rig.expect(code !== 0, () => `${name} takes ${JSON.stringify(config)}: ${printed.slice(0, 200)}`);
  }
}

/** A server that is where it should be, and sends everybody inside. */
async function redirects(rig: Rig, setup: Setup, { canary, liar }: Stage): Promise<void> {
  const { ownerToken } = setup.gateway;
  const spots = [...plainHosts, ...oddHosts].map((host) => `${host}:${canary.port}`);
  for (const host of [...spots, ...specialHosts]) {
    liar.lie({ redirect: `http://${host}/x` });
    refused(
      rig,
      `302 to ${host}`,
      await operate(setup, ownerToken, 'servers.add', { name: 'far', spec: { url: liar.url } }),
    );
    await operate(setup, ownerToken, 'servers.remove', { name: 'far' });
    liar.lie({ endpoint: `http://${host}/x` });
    const spec = { url: liar.url, type: 'sse', headers: { Authorization: 'Bearer mine' } };
    refused(rig, `endpoint ${host}`, await operate(setup, ownerToken, 'servers.add', { name: 'far', spec }));
    await operate(setup, ownerToken, 'servers.remove', { name: 'far' });
  }
  rig.figure('redirects', (spots.length + specialHosts.length) * 2);
}

/** Every address that a server can name on the way to a sign-in. */
function liesAbout(place: string): Lies[] {
  return [
    { metadata: `${place}/metadata` },
    { metadataRedirect: `${place}/metadata` },
    { issuer: place },
    { issuer: `${place}/tenant` },
    { members: { registration_endpoint: `${place}/register` } },
    { members: { token_endpoint: `${place}/token` } },
    { members: { jwks_uri: `${place}/jwks`, revocation_endpoint: `${place}/revoke`, userinfo_endpoint: place } },
  ];
}

async function signIns(rig: Rig, setup: Setup, { canary, liar }: Stage, isFull: boolean): Promise<void> {
  liar.lie({});
  await operate(setup, setup.gateway.ownerToken, 'servers.add', { name: 'liar', spec: { url: liar.url } });
  const near = [...plainHosts, ...oddHosts, ...Object.keys(falseNames)].flatMap((host) => [
    `http://${host}:${canary.port}`,
    `https://${host}:${canary.port}`,
  ]);
  const far = [...privateHosts, ...specialHosts].map((host) => `http://${host}`);
  const places = isFull ? [...near, ...far] : [...near.filter((_, at) => at % 3 === rig.seed % 3), ...far.slice(0, 4)];
  const before = liar.requests();
  for (const place of places) {
    for (const lies of liesAbout(place)) {
      liar.lie(lies);
      await signIn(setup);
    }
  }
  rig.figure('lies', places.length * liesAbout('').length);
  rig.expect(
    liar.requests() - before > places.length,
    'The server that lies was hardly asked, so little was examined.',
  );
  rig.expect(canary.visits() === 0, `On the way to sign in the canary was visited ${canary.visits()} times.`);
}

/** Begins, and comes back as a browser would, so that the code is redeemed wherever the server said. */
async function signIn(
  setup: Setup,
): Promise<{ readonly status: number; readonly text: string; readonly address?: string }> {
  await order(setup, 'servers.refresh', { name: 'liar', force: true });
  const reply = await operate(setup, setup.gateway.ownerToken, 'servers.signIn', { name: 'liar' });
  const { address } = (reply.status === 200 ? JSON.parse(reply.text) : {}) as { address?: string };
  if (address === undefined) return reply;
  const asked = new URL(address).searchParams;
  const back = new URL(asked.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({ code: 'stolen', state: asked.get('state') ?? '' }).toString();
  await fetch(back, { redirect: 'manual' }).catch(() => {});
  return { ...reply, address };
}

/** A browser is sent only to pages, and text for a shell stays text. */
async function pages(rig: Rig, setup: Setup, { mark, liar }: Stage): Promise<void> {
  const origin = new URL(liar.url).origin;
  const odd = [
    ...[...schemes, `http://a$(touch ${mark})`, 'http://x/";calc', `https://x.example/$(touch ${mark})`],
    ...[`https://x.example/\`touch ${mark}\``, `https://x.example/|touch ${mark}`, 'https://user:word@x.example/'],
  ];
  for (const address of odd) {
    for (const member of ['authorization_endpoint', 'token_endpoint']) {
      liar.lie({ members: { [member]: address } });
      const reply = await signIn(setup);
      if (reply.status !== 200) continue;
      const shown = new URL(reply.address ?? 'x:');
      rig.expect(
        shown.protocol === 'https:' || shown.origin === origin,
        () => `${member} ${address} became ${shown.href}`,
      );
    }
  }
  rig.figure('pages', odd.length * 2);
}

/** The program that shows pages gets one argument without secrets, and no shell is asked to find it. */
async function browser(rig: Rig, setup: Setup, { folder, mark, liar }: Stage): Promise<void> {
  const [noted, stub] = [join(folder, 'opened'), join(folder, 'xdg-open')];
  writeFileSync(
    stub,
    `#!${process.execPath}\nrequire('node:fs').writeFileSync(${JSON.stringify(noted)}, JSON.stringify(process.argv.slice(2)));\n`,
  );
  chmodSync(stub, 0o755);
  // As much as stays a URL.
  const sly = `;touch\${IFS}${mark};$(touch\${IFS}${mark})&y=|touch\${IFS}${mark}`;
  liar.lie({ members: { authorization_endpoint: `${new URL(liar.url).origin}/authorize?x=${sly}` } });
  await order(setup, 'servers.refresh', { name: 'liar', force: true });
  const env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':99' };
  const signing = runProgram(setup, ['auth', 'liar'], env);
  const tooEarly = signing.then(({ printed }) =>
    Promise.reject(new Error(`no page was shown: ${printed.slice(0, 300)}`)),
  );
  tooEarly.catch(() => {});
  await Promise.race([eventually('a page is shown', async () => existsSync(noted) || undefined), tooEarly]);
  const opened = JSON.parse(readFileSync(noted, 'utf8')) as string[];
  rig.expect(opened.length === 1 && URL.canParse(opened[0] ?? ''), `The browser was given ${JSON.stringify(opened)}.`);
  rig.expect(!/[\s"`?]/.test(opened[0] ?? ''), () => `The browser was given ${opened[0]}.`);
  // It would wait for the person to come back; its server is gone instead.
  const page = readFileSync(new URL(opened[0] ?? ''), 'utf8');
  const asked = new URL(/href="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '').searchParams;
  const back = new URL(asked.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({ error: 'access_denied', state: asked.get('state') ?? '' }).toString();
  await fetch(back, { redirect: 'manual' });
  const { code } = await signing;
  rig.expect(code !== 0, 'A sign-in that was refused ended well.');
}

/** The same places, where the owner lists them: then they are asked, which shows that the canary can be. */
async function optIn(setup: Setup, { canary, liar }: Stage): Promise<void> {
  const file = join(setup.dataDir, 'toolcrib.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...config, access: { privateHosts: [`127.0.0.1:${canary.port}`] } }));
  liar.lie({ metadata: `http://127.0.0.1:${canary.port}/metadata` });
  await eventually('the canary is asked where the owner lists it', async () => {
    await signIn(setup);
    return canary.visits() > 0 || undefined;
  });
  await operate(setup, setup.gateway.ownerToken, 'servers.remove', { name: 'liar' });
}
