/** An agent that people install from npm, as the checks need it: its model's API, its config, its command line. */

import type { AgentId } from '../../../src/agent-files/agent-files.ts';
import type { Packages } from '../kit/packages.ts';
import type { ModelWire } from './scripted-model.ts';

/** How to reach the gateway. */
export type GatewayAddress =
  | { readonly url: string; readonly token: string }
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

export interface AgentRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** How it is asked about its servers, and its answer where Toolcrib is well. */
  readonly listing: { readonly args: readonly string[]; readonly says: RegExp };
}

export interface AgentProgram {
  readonly id: AgentId;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly wire: ModelWire;
  /** Writes the config below `home`, and says how to run one prompt. `gateway`: null where `toolcrib install` puts it there. */
  prepare(packages: Packages, home: string, modelUrl: string, gateway: GatewayAddress | null): Promise<AgentRun>;
}

/** The name under which agents know the gateway. */
export const gatewayName = 'toolcrib';
