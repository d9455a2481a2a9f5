/** Plans a service that runs the gateway at login: its file, and the commands that switch it on and off. Nothing here needs root. */

import { join } from 'node:path';
import { GatewayError } from '../../../base/errors.ts';

export interface ServiceMachine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
}

export interface ServiceProgram {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder that it runs in. */
  readonly dataDir: string;
}

/** A program and its arguments. */
export type Step = readonly [program: string, ...args: string[]];

export interface ServicePlan {
  readonly file: string;
  readonly text: string;
  /** The part of the text that names the data folder: a file without it belongs to another one. */
  readonly folderMark: string;
  /** Before the file is written. Each may fail where there is nothing to clear away. */
  readonly clear: readonly Step[];
  /** In this order, once the file is there. */
  readonly begin: readonly Step[];
  /** In this order, while the file is still there. */
  readonly end: readonly Step[];
  /** After an older file was put back. */
  readonly restore: readonly Step[];
  /** Succeeds while the service runs. */
  readonly probe: Step;
  /** A further hint for a person, in one sentence. */
  readonly remark: string | null;
}

/** Throws USAGE on a system whose way we do not know. */
export function planService(machine: ServiceMachine, program: ServiceProgram): ServicePlan {
  if (machine.platform === 'linux') return systemdPlan(machine, program);
  if (machine.platform === 'darwin') return launchdPlan(machine, program);
  throw new GatewayError('USAGE', 'Toolcrib can install a service on Linux (systemd) and macOS only.', {
    hint: `Have your system run this when you log in: ${program.command.map((word) => JSON.stringify(word)).join(' ')}`,
  });
}

const unit = 'toolcrib.service';

/** A mistake in the config (exit code 2) does not go away by trying again. */
function systemdPlan({ home, env }: ServiceMachine, { command, dataDir }: ServiceProgram): ServicePlan {
  const file = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user', unit);
  const folderMark = `\nWorkingDirectory=${dataDir.replaceAll('%', '%%')}\n`;
  const text = `[Unit]
Description=Toolcrib, an MCP gateway

[Service]
ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}${folderMark}Environment=${quoted(`PATH=${env.PATH ?? ''}`)}
StandardOutput=null
Restart=on-failure
RestartSec=10
RestartPreventExitStatus=2

[Install]
WantedBy=default.target
`;
  const systemctl = (...args: string[]): Step => ['systemctl', '--user', ...args];
  return {
    file,
    text,
    folderMark,
    clear: [],
    begin: [systemctl('daemon-reload'), systemctl('enable', '--now', unit)],
    end: [systemctl('disable', '--now', unit)],
    restore: [systemctl('daemon-reload')],
    probe: systemctl('is-active', '--quiet', unit),
    remark: 'To keep it running while you are logged out: loginctl enable-linger',
  };
}

/** A word as systemd reads it: quotes, backslashes and its own signs escaped. */
function quoted(word: string): string {
  return `"${word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('\n', '\\n')}"`;
}

const label = 'toolcrib';

function launchdPlan({ home, env, uid }: ServiceMachine, { command, dataDir }: ServiceProgram): ServicePlan {
  const file = join(home, 'Library', 'LaunchAgents', `${label}.plist`);
  const folderMark = `<key>WorkingDirectory</key>\n  <string>${escaped(dataDir)}</string>`;
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
  ${folderMark}
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${escaped(env.PATH ?? '')}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>StandardErrorPath</key>
  <string>${escaped(join(dataDir, 'service.log'))}</string>
</dict>
</plist>
`;
  const load: Step = ['launchctl', 'bootstrap', `gui/${uid}`, file];
  const unload: Step = ['launchctl', 'bootout', `gui/${uid}/${label}`];
  return {
    file,
    text,
    folderMark,
    // One that is loaded, though its gateway has stopped, can't be loaded again.
    clear: [unload],
    begin: [load],
    end: [unload],
    restore: [load],
    probe: ['launchctl', 'print', `gui/${uid}/${label}`],
    remark: null,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
