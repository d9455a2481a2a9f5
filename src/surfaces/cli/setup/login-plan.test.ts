/** Tests of the files that have a system run the gateway at login. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planService, type ServiceMachine } from './login-plan.ts';

const env = { PATH: '/tools/bin:/usr/bin' };
const machine = (platform: NodeJS.Platform): ServiceMachine => ({ platform, home: '/homes/me', env, uid: 501 });
const program = {
  command: ['/opt/node', '/opt/my "tools"/toolcrib.js', 'start', '--data', '/homes/me/50% $HOME <a>&b'],
  dataDir: '/homes/me/50% $HOME <a>&b',
};

test('on Linux it is a unit of the user, with the signs of systemd escaped', () => {
  const plan = planService(machine('linux'), program);
  assert.equal(plan.file, '/homes/me/.config/systemd/user/toolcrib.service');
  const lines = plan.text.split('\n');
  assert.ok(
    lines.includes(
      'ExecStart="/opt/node" "/opt/my \\"tools\\"/toolcrib.js" "start" "--data" "/homes/me/50%% $$HOME <a>&b"',
    ),
    plan.text,
  );
  assert.ok(lines.includes('WorkingDirectory=/homes/me/50%% $HOME <a>&b'));
  assert.ok(lines.includes('Environment="PATH=/tools/bin:/usr/bin"'));
  assert.ok(lines.includes('Restart=on-failure') && lines.includes('WantedBy=default.target'));
  // The banner shows the token of agents.
  assert.ok(lines.includes('StandardOutput=null'));
  assert.ok(
    [...plan.begin, ...plan.end, plan.probe].every(([name, user]) => name === 'systemctl' && user === '--user'),
  );
  const moved = planService({ ...machine('linux'), env: { ...env, XDG_CONFIG_HOME: '/conf' } }, program);
  assert.equal(moved.file, '/conf/systemd/user/toolcrib.service');
});

test('on macOS it is a launch agent of the user, started again only when it fails', () => {
  const plan = planService(machine('darwin'), program);
  assert.equal(plan.file, '/homes/me/Library/LaunchAgents/toolcrib.plist');
  assert.ok(plan.text.includes('<string>/homes/me/50% $HOME &lt;a&gt;&amp;b</string>'), plan.text);
  assert.match(plan.text, /<key>SuccessfulExit<\/key>\s*<false\/>/);
  assert.match(plan.text, /<key>PATH<\/key>\s*<string>\/tools\/bin:\/usr\/bin<\/string>/);
  assert.doesNotMatch(plan.text, /StandardOutPath/);
  assert.ok(plan.text.includes(plan.folderMark));
  assert.deepEqual(plan.clear, [['launchctl', 'bootout', 'gui/501/toolcrib']]);
  assert.deepEqual(plan.begin, [['launchctl', 'bootstrap', 'gui/501', plan.file]]);
  assert.deepEqual(plan.end, [['launchctl', 'bootout', 'gui/501/toolcrib']]);
});

test('elsewhere the command is named', () => {
  assert.throws(() => planService(machine('win32'), program), {
    code: 'USAGE',
    hint: /log in: "\/opt\/node" .* "start" "--data"/,
  });
});
