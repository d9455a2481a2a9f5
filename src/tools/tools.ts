/** Tools as one principal has them: which there are, how they are found, named, described and called. */

export { type Act, type ActFacts, auditAct } from './audit-act.ts';
export {
  type CallOptions,
  type EndpointRequest,
  executeCall,
  makeAdvisor,
  makeCall,
  type RequestSender,
} from './call-tool.ts';
export { capabilities, capabilityIndex, namedServers } from './capability-index.ts';
export { detailLevels, discover, discoverWithin, parseDiscovery, toolInfo } from './discover.ts';
export { findAlternatives } from './find-alternatives.ts';
export { didYouMean, findServer, shownName, unknownTool } from './find-server.ts';
export {
  availabilityOf,
  discoveryOff,
  equalsOf,
  type Found,
  findTools,
  isDiscoveryOff,
  namesBeingListed,
  noticeOn,
  offeredFor,
  reasonForHit,
  remarksOn,
  rounded,
  type SearchReader,
  searchModeFor,
} from './find-tools.ts';
export { type AnswerObject, answer, fitRows, fitWhole, roomBeside } from './fit-answer.ts';
export type { AdviceLayer, FindLayer, LayerName, Uses } from './layers.ts';
export { NameTable } from './naming.ts';
export { cursorAfter, type ListPosition, type Positioned, pageOfList, refuseCursor } from './paging.ts';
export { badArguments, clamped, readInput, readToolArguments } from './read-arguments.ts';
export { readNeeds } from './read-needs.ts';
export { awaitListing, awaitTool, resolveTool, type ToolAddress } from './resolve-tool.ts';
export { type GivenTool, searchGivenTools } from './search-given-tools.ts';
export {
  lastChangeOf,
  meaningsOf,
  reportServer,
  type ServerReport,
  stateOf,
  summariseServer,
} from './server-report.ts';
export {
  chooseSurface,
  readerOf,
  type ShownSurface,
  type SurfaceChoice,
  shownBytes,
  surfaceOfToken,
  wholeBytes,
} from './surface.ts';
export {
  briefMetrics,
  describeMetrics,
  keysNamed,
  knownScope,
  type MetricScope,
  mayHear,
  metricsOf,
} from './tool-metrics.ts';
export { toolNames } from './tool-names.ts';
export { conditionOf, isSameViewState, layersAt, type ViewState, viewStateOf, withServersFrom } from './view-state.ts';
export {
  canSee,
  countVisible,
  identityOf,
  isThere,
  isVisible,
  perViewer,
  remembered,
  rightsOf,
  viewerOf,
  visibleServers,
  visibleTools,
} from './visible.ts';
