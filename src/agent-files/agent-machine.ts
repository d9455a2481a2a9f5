/** The machine whose agents are looked at, as a value: the paths of every platform can be worked out on any of them. */

import { posix, win32 } from 'node:path';

export interface AgentMachine {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The project folder: files of project scope are looked for here. */
  readonly cwd: string;
  /** Ends the reading of its files. */
  readonly signal?: AbortSignal | undefined;
}

/** The path of a file, worked out for a machine. */
export type MachinePath = (machine: AgentMachine) => string;

/** Unix systems other than macOS keep their files where Linux does. */
export function machineOf(platform: NodeJS.Platform, home: string, env: NodeJS.ProcessEnv, cwd: string): AgentMachine {
  return { platform: platform === 'win32' || platform === 'darwin' ? platform : 'linux', home, env, cwd };
}

/** How paths are written on the machine. */
export function pathStyle({ platform }: AgentMachine): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

export function inHome(...parts: readonly string[]): MachinePath {
  return (machine) => pathStyle(machine).join(machine.home, ...parts);
}

export function inProject(...parts: readonly string[]): MachinePath {
  return (machine) => pathStyle(machine).join(machine.cwd, ...parts);
}

/** In the folder that a variable names; elsewhere if it is not set. */
export function inFolderOf(variable: string, parts: readonly string[], otherwise: MachinePath): MachinePath {
  return (machine) => {
    const folder = machine.env[variable];
    return folder ? pathStyle(machine).join(folder, ...parts) : otherwise(machine);
  };
}

/** `~/.config` on every platform, or the folder of XDG_CONFIG_HOME. */
export function inConfig(...parts: readonly string[]): MachinePath {
  return inFolderOf('XDG_CONFIG_HOME', parts, inHome('.config', ...parts));
}

/** `%APPDATA%` on Windows, and another folder elsewhere. */
export function onWindows(parts: readonly string[], otherwise: MachinePath): MachinePath {
  const there = inFolderOf('APPDATA', parts, inHome('AppData', 'Roaming', ...parts));
  return (machine) => (machine.platform === 'win32' ? there : otherwise)(machine);
}

/** The folder in which desktop applications keep their data. */
export function inApplicationData(...parts: readonly string[]): MachinePath {
  const onMac = inHome('Library', 'Application Support', ...parts);
  const unix: MachinePath = (machine) => (machine.platform === 'darwin' ? onMac : inConfig(...parts))(machine);
  return onWindows(parts, unix);
}
