/** Output of servers: rubbish between messages, odd but legal messages, too much at once, secrets on stderr. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { JUNK_KINDS, type Modes } from '../servers/spec.ts';

const utf8 = 'naïve 日本語 🙂';

const litters: Readonly<Record<string, Modes>> = {
  ...Object.fromEntries(JUNK_KINDS.map((kind) => [kind, { junkStdout: [kind] }])),
  everything: { junkStdout: true },
  'split-utf8': { splitWrites: { bytes: 1 } },
  'split-slowly': { splitWrites: { bytes: 400, delayMs: 1 }, junkStdout: ['bom', 'crlf', 'npm'] },
  pairs: { twoMessagesPerWrite: true },
};

test('[LINK-22] every valid message is delivered, whatever a server prints between its messages', async () => {
  const plan = planServers(
    Object.fromEntries(
      Object.entries(litters).map(([name, modes]) => [name, { toolCount: 3, tools: 'default', modes }]),
    ),
  );
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  for (const name of Object.keys(litters)) {
    // A call lists the server first where it is not known yet.
    await new ModernAgent(gateway, `/servers/${name}/mcp`).tools();
    const said = await Promise.all(
      Array.from({ length: 20 }, (_, at) => agent.say(`${name}.echo`, { text: `${utf8} ${at}` })),
    );
    assert.deepEqual(
      said,
      Array.from({ length: 20 }, (_, at) => `${utf8} ${at}`),
      name,
    );
  }
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', {});
  const complaint = findings.find(({ subject, severity }) => subject === 'npm' && severity === 'note');
  assert.match(complaint?.message ?? '', /prints lines on stdout that are not messages \(\d+ so far\)/);
  assert.ok(complaint?.output?.some((line) => line.startsWith('npm')));
});

test('[LINK-23] odd but legal messages survive, and what nobody knows is kept', async () => {
  const plan = planServers({
    old: { modes: { oddMessages: true } },
    new: { era: 'modern', modes: { oddMessages: true } },
  });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  for (const server of ['old', 'new']) {
    const { result } = await agent.call(`${server}.odd`);
    assert.deepEqual(result['x-result'], ['kept', null, 1.5]);
    assert.deepEqual(result['x-vendor'], { unknown: true });
    const [plain, hologram] = result.content as Record<string, unknown>[];
    assert.deepEqual(plain?.['x-block'], { kept: true });
    assert.deepEqual(hologram, { type: 'hologram', data: 'AAAA', depth: 3 });
    assert.equal((result._meta as Record<string, unknown>)['example.com/trace'], 'abc');
  }
});

test('[LINK-24] a line that is too long fails its own call alone, and the link lives on', async () => {
  const plan = planServers({ talker: {} });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const pid = await agent.pidOf('talker');
  const beside = agent.call('talker.nonce', { value: 'beside', delayMs: 1_000 });
  // Through the plain door a result has to pass whole; elsewhere it would be kept and cut.
  const plain = new ModernAgent(gateway, '/servers/talker/mcp?names=plain');
  const answer = await plain.call('big', { bytes: 34 * 1024 * 1024 });
  assert.equal(answer.errorType, 'TOO_LARGE', answer.text.slice(0, 200));
  assert.match(answer.text, /The answer of server "talker" is larger than 33554432 bytes and was not read/);
  assert.match(answer.hint, /less at a time/);
  assert.equal((await beside).text, 'beside');
  assert.equal(await agent.pidOf('talker'), pid);
});

test('[LINK-25] stderr of a server is kept, bounded, printable and without secrets', async () => {
  const secret = 'canary-4711-not-for-eyes';
  const plan = planServers({
    noisy: { modes: { stderrNoise: true }, entry: { env: { TEST_SECRET: secret } } },
    dying: { modes: { stderrNoise: true, exitAtStart: 4 }, entry: { env: { TEST_SECRET: secret } } },
  });
  await using gateway = await openTestGateway({ servers: plan.servers, config: { connect: { maxRetries: 0 } } });
  const { admin } = gateway.gateway;
  await new ModernAgent(gateway).tools();
  const { stderr } = await admin.run('servers.output', { name: 'noisy' });
  assert.ok(stderr.length > 1_000 && stderr.length <= 64 * 1024, `${stderr.length} characters are kept`);
  const { findings } = await admin.run('gateway.doctor', { connect: false });
  const failure = findings.find(({ subject }) => subject === 'dying');
  assert.match(failure?.message ?? '', /exited with code 4.*cannot start, the configuration is missing/);
  assert.ok((failure?.message.length ?? 0) < 1_200, `the message has ${failure?.message.length} characters`);
  const told = [
    stderr,
    JSON.stringify(findings),
    JSON.stringify(await admin.run('servers.list', {})),
    ...gateway.logged,
  ];
  for (const text of told) {
    assert.ok(!text.includes(secret) && !text.includes('not-for-eyes'), 'the secret is masked');
    assert.doesNotMatch(text, /[\u001b\u202e\u0007]/);
  }
});

test('[LINK-26] a server sees the variables it was given, a few safe ones and the mark, and no others', async () => {
  const plan = planServers({ child: { entry: { env: { GIVEN: 'yes' } } } });
  const env = { ...process.env, TEST_CANARY: 'leak', NODE_OPTIONS: '', AWS_SECRET_ACCESS_KEY: 'leak', LANG: 'C.UTF-8' };
  await using gateway = await openTestGateway({ servers: plan.servers, env });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const names = JSON.parse(await agent.say('child.env')) as string[];
  const safe = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];
  const reach = [
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'npm_config_globalconfig',
    'npm_config_userconfig',
  ];
  const allowed = new Set([...safe, ...reach, ...reach.map((name) => name.toLowerCase()), 'GIVEN', 'TOOLCRIB_MARK']);
  assert.deepEqual(
    names.filter((name) => !allowed.has(name) && !name.startsWith('XDG_')),
    [],
  );
  for (const name of ['GIVEN', 'TOOLCRIB_MARK', 'PATH', 'LANG']) assert.ok(names.includes(name), `${name} is there`);
  assert.equal(await agent.say('child.env', { reveal: 'GIVEN' }), 'yes');
});
