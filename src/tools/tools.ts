/** Tools as one principal has them: which there are, how they are found, named, described and called. */

export { makeAdvisor } from './advisor.ts';
export { type Act, type ActFacts, auditAct } from './audit-act.ts';
export { type Asker, type EndpointRequest, executeCall, type Manner, makeCall } from './call-tool.ts';
export { capabilities, capabilityIndex, namedServers } from './capability-index.ts';
export { shownBytes, wholeBytes } from './definition-sizes.ts';
export { toolInfo } from './describe-tool.ts';
export { detailLevels, discover, discoverWithin, parseDiscovery } from './discover.ts';
export { findAlternatives } from './find-alternatives.ts';
export { didYouMean, findServer, shownName } from './find-server.ts';
export {
  availabilityOf,
  equalsOf,
  type Found,
  findTools,
  noticeOn,
  offeredFor,
  remarksOn,
  rounded,
  type SearchReader,
} from './find-tools.ts';
export { type AnswerObject, answer, fitRows, fitWhole, roomBeside } from './fit-answer.ts';
export { lastChangeOf } from './last-change.ts';
export type { AdviceLayer, FindLayer, LayerName, Uses } from './layers.ts';
export { keysNamed, knownScope, type MetricScope } from './metric-scope.ts';
export { NameTable } from './naming.ts';
export { cursorAfter, type Placed, type Position, pageOf, refuseCursor } from './paging.ts';
export { badArguments, clamped, readArguments, readInput } from './read-arguments.ts';
export { readNeeds } from './read-needs.ts';
export { reasonForHit } from './reason-for-hit.ts';
export { awaitListing, awaitTool, resolveTool, type ToolAddress } from './resolve-tool.ts';
export { type GivenTool, searchGivenTools } from './search-given-tools.ts';
export { discoveryOff, isDiscoveryOff, searchModeFor } from './search-strategy.ts';
export { describeServer, meaningsOf, type ServerReport, stateOf, summariseServer } from './server-report.ts';
export { chooseSurface, readerOf, type ShownSurface, type SurfaceChoice, surfaceOfToken } from './surface.ts';
export { briefMetrics, describeMetrics, mayHear, metricsOf } from './tool-metrics.ts';
export { toolNames } from './tool-names.ts';
export { unknownTool } from './unknown-tool.ts';
export { namesBeingListed } from './unlisted.ts';
export { conditionOf, isSameMoment, layersAt, type Moment, momentOf, withServersFrom } from './view-state.ts';
export {
  canSee,
  countVisible,
  isThere,
  isVisible,
  perViewer,
  remembered,
  rightsOf,
  seatOf,
  viewerOf,
  visibleServers,
  visibleTools,
} from './visible.ts';
