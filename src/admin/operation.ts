/** An operation: one question or order that a surface can put to the gateway, with its input checked. */

import { z } from 'zod';
import type { AccessControl, Approvals, NamedSecrets, Principal, Projects, Scope } from '../access/access.ts';
import type { AuditLog } from '../audit/audit.ts';
import { isObject } from '../base/json.ts';
import type { AgentSide, CallRecorder } from '../caller/caller.ts';
import type { Catalog, ServerTrials } from '../catalog/catalog.ts';
import type { SeenAgents } from '../door/door.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { CallMetrics, DisclosureMetrics } from '../metrics/metrics.ts';
import type { Optimizer } from '../optimizer/optimizer.ts';
import type { DiskProblem, Replicas, SecretStore } from '../store/store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import type { Vault } from '../vault/vault.ts';
import type { EventHub } from './event-hub.ts';

/** The layers that operations use. */
export interface AdminContext extends Uses<LayerName> {
  readonly catalog: Catalog;
  readonly downstream: Downstream;
  readonly trials: ServerTrials;
  readonly access: AccessControl;
  readonly audit: AuditLog;
  readonly disclosure: DisclosureMetrics;
  readonly projects: Projects;
  readonly replicas: Replicas;
  readonly approvals: Approvals;
  readonly secrets: NamedSecrets;
  readonly vault: Pick<Vault, 'location' | 'unseal'>;
  readonly store: Uses<'store'>['store'] & Pick<SecretStore, 'listSecrets'>;
  readonly recorder: CallRecorder;
  readonly optimizer: Optimizer;
  readonly agents: SeenAgents;
  readonly telemetry: Telemetry;
  readonly events: EventHub;
  readonly about: () => GatewayFacts;
  /** Ends the gateway after the answer; undefined where nobody would hear the order. */
  readonly stop?: (() => void) | undefined;
}

/** Facts of the gateway about itself. */
export interface GatewayFacts {
  readonly version: string;
  readonly pid: number;
  /** null: no gateway is running, the command works on the data folder itself. */
  readonly url: string | null;
  /** False: the gateway took any free port, and its next start takes another. */
  readonly hasFixedPort: boolean;
  readonly startedAt: string;
  readonly dataDir: string;
  /** How its owner calls the program for this data folder, in any folder. */
  readonly command: string;
  readonly configFile: string | null;
  /** Why the last edit of the config file was not taken over. */
  readonly configProblem: string | null;
  readonly configWarnings: readonly string[];
  /** Why nothing can be saved now: a disk that is full or read-only. */
  readonly diskProblem: DiskProblem | null;
  /** Why records of calls and of the audit wait in memory: a database that is unreachable, full or read-only. */
  readonly recordsProblem: CallMetrics['recordsProblem'];
  readonly isAuthOff: boolean;
  /** True while descriptions can be improved. */
  readonly isOptimizing: boolean;
  /** The issuer of agents' tokens; null for the gateway itself. */
  readonly issuer: string | null;
}

export interface OperationRequest<I> {
  readonly context: AdminContext;
  readonly input: I;
  readonly principal: Principal;
  /** The caller as an agent: a person or program that answers no questions in the middle of a call. */
  readonly agent: AgentSide;
  readonly signal: AbortSignal;
}

/** As what an operation stands in the audit. `none`: it only asks for what the owner may know. */
export type OperationAudit = 'administration' | 'discovery' | 'execution' | 'none';

export interface Operation<S extends z.ZodType, O> {
  readonly summary: string;
  /** Left out, it counts as administration: nothing that changes something can be forgotten. */
  readonly audit?: OperationAudit;
  /** Left out, it is the owner's alone. */
  readonly scope?: Scope;
  /** False: there is no such operation now. Left out, there always is. */
  readonly isThere?: (context: AdminContext) => boolean;
  readonly input: S;
  run(request: OperationRequest<z.infer<S>>): Promise<O>;
}

/** Keeps the types of an operation's input and output. */
export function operation<S extends z.ZodType, O>(value: Operation<S, O>): Operation<S, O> {
  return value;
}

/** An object whose members are not ours to look at. It is passed on as it is: a copy would lose a member named `__proto__`. */
export const opaqueObject = z
  .custom<Record<string, unknown>>(isObject, { error: 'must be an object' })
  .meta({ type: 'object' });
