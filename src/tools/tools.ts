/** Tools as one principal has them: which there are, how they are found, named, described and called. */

export {
  type AnswerObject,
  answer,
  badArguments,
  clamped,
  cursorAfter,
  fitRows,
  fitWhole,
  type ListPosition,
  type Positioned,
  pageOfList,
  readInput,
  readToolArguments,
  refuseCursor,
  roomBeside,
} from './arguments-and-answers.ts';
export {
  type CallOptions,
  type EndpointRequest,
  executeCall,
  findAlternatives,
  makeAdvisor,
  makeCall,
} from './call-tool.ts';
export { capabilities, capabilityIndex, namedServers } from './capability-index.ts';
export { detailLevels, discover, discoverWithin, parseDiscovery, promotionOf, toolInfo } from './discover.ts';
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
  readNeeds,
  reasonForHit,
  remarksOn,
  rounded,
  type SearchReader,
  searchModeFor,
} from './find-tools.ts';
export type { AdviceLayer, FindLayer, LayerName, Uses } from './layers.ts';
export { NameTable, toolNames } from './naming.ts';
export {
  awaitListing,
  awaitTool,
  didYouMean,
  findServer,
  resolveTool,
  shownName,
  type ToolAddress,
  toolNamed,
  unknownTool,
} from './resolve-tool.ts';
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
  type Absence,
  absenceOf,
  allNames,
  subjectsNamed,
  type ToldAbsence,
  tellAbsence,
} from './tool-absence.ts';
export {
  briefMetrics,
  type DescribedFigures,
  describeFigures,
  describeMetrics,
  keysNamed,
  knownScope,
  type MetricScope,
  mayHear,
  metricsOf,
} from './tool-metrics.ts';
export {
  canSee,
  chooseSurface,
  conditionOf,
  countVisible,
  identityOf,
  isSameViewState,
  isThere,
  isVisible,
  layersAt,
  perViewer,
  readerOf,
  remembered,
  rightsOf,
  type ShownSurface,
  type SurfaceChoice,
  shownBytes,
  surfaceOfToken,
  type ViewState,
  viewerOf,
  viewStateOf,
  visibleServers,
  visibleTools,
  wholeBytes,
  withServersFrom,
} from './view.ts';
