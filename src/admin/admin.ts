/** The one interface that every surface talks to: operations by name, here or over HTTP. */

import type { z } from 'zod';
import type { OnProgress } from '../door/door.ts';
import { agentOperations } from './agent-operations.ts';
import { approvalOperations } from './approval-operations.ts';
import { auditOperations } from './audit-operations.ts';
import { browserOperations } from './browser-operations.ts';
import { changeOperations } from './change-operations.ts';
import { gatewayOperations } from './gateway-operations.ts';
import type { GatewayEvent } from './live-events.ts';
import { liveOperations } from './live-operations.ts';
import { metricOperations } from './metric-operations.ts';
import { optimizeOperations } from './optimize-operations.ts';
import { projectOperations } from './project-operations.ts';
import { recordingOperations } from './recording-operations.ts';
import { secretOperations } from './secret-operations.ts';
import { serverOperations } from './server-operations.ts';
import { settingOperations } from './setting-operations.ts';
import { signInOperations } from './sign-in-operations.ts';
import { tokenOperations } from './token-operations.ts';
import { toolOperations } from './tool-operations.ts';
import { toolSurveyOperations } from './tool-survey-operations.ts';
import { trialOperations } from './trial-operations.ts';

export type { ConnectedAgent } from './agent-operations.ts';
export { apiHandler } from './api.ts';
export type { LastingApproval, WaitingCall } from './approval-operations.ts';
export type { AuditLine } from './audit-operations.ts';
export type { BrowserReport } from './browser-operations.ts';
export type { ConnectionChanges, WrittenConnection } from './change-connection.ts';
export type { DefinitionChange } from './change-operations.ts';
export type { ChangeHistory } from './definition-history.ts';
export { EventHub } from './event-hub.ts';
export type { HealthFinding } from './examine.ts';
export type { ExplainedHit, LeftOutTool, SearchExplanation } from './explain-search.ts';
export type { SignInLink } from './gateway-operations.ts';
export type { GatewayEvent, LiveJob, LiveServer, LiveSnapshot, Topic } from './live-events.ts';
export { localAdmin } from './local-admin.ts';
export type {
  FailureKind,
  MetricSeries,
  MetricsList,
  StepFigures,
  ToolFigures,
  UsageOverview,
  UsedTool,
} from './metric-operations.ts';
export { metricsPage, otlpMetrics } from './metrics-page.ts';
export type { AdminContext, GatewayFacts } from './operation.ts';
export type { ProjectReport } from './project-operations.ts';
export type { ReasonGroup } from './reason-groups.ts';
export type { RefreshOutcome, ServerOutcome } from './server-operations.ts';
export type { ServerUpgrade } from './server-upgrades.ts';
export type { ServerDetails, SettingChanges } from './setting-operations.ts';
export type { SignInReport, SignInRow, StartedSignIn } from './sign-in-operations.ts';
export type { SurfaceCosts, SurfaceReport } from './surface-costs.ts';
export type { CreatedToken, TokenReport } from './token-operations.ts';
export type { SurveyedTool } from './tool-survey-operations.ts';
export type { ShownTrial, TriedTool } from './trial-operations.ts';
export { watchGateway } from './watch-gateway.ts';

export const operations = {
  ...gatewayOperations,
  ...liveOperations,
  ...serverOperations,
  ...settingOperations,
  ...trialOperations,
  ...secretOperations,
  ...toolOperations,
  ...toolSurveyOperations,
  ...metricOperations,
  ...signInOperations,
  ...auditOperations,
  ...recordingOperations,
  ...projectOperations,
  ...tokenOperations,
  ...browserOperations,
  ...changeOperations,
  ...approvalOperations,
  ...agentOperations,
  ...optimizeOperations,
};

export type OperationName = keyof typeof operations;
export type InputOf<N extends OperationName> = z.input<(typeof operations)[N]['input']>;
export type OutputOf<N extends OperationName> = Awaited<ReturnType<(typeof operations)[N]['run']>>;

export interface Admin {
  /** Throws GatewayError. `onProgress` hears from a tool that reports how far it is. */
  run<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<OutputOf<N>>;
  /**
   * Events after the one named; without one, or where it is forgotten, from now on, the first of them `begin`. Ends by
   * throwing: when the signal aborts, or the gateway is gone.
   */
  events(signal: AbortSignal, after?: string): AsyncIterable<GatewayEvent>;
}
