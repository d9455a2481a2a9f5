/** The views, and how one gets to them: the menu, the help and the keys come from this table. */

import type { Screen } from './screen.ts';
import { useActivityView } from './views/activity.ts';
import { useAddServerView } from './views/add-server.ts';
import { useBatchView } from './views/batch.ts';
import { useConnectAgentsView } from './views/connect-agents.ts';
import { useDefinitionsView } from './views/definitions.ts';
import { useDescriptionView } from './views/description.ts';
import { useExportReportView } from './views/export-report.ts';
import { useExposedToolsView } from './views/exposed-tools.ts';
import { useGoldenPromptsView } from './views/golden-prompts.ts';
import { useHelpView } from './views/help.ts';
import { useJobView } from './views/job.ts';
import { useJobsView } from './views/jobs.ts';
import { useOptimizerView } from './views/optimizer.ts';
import { useRecordView } from './views/record.ts';
import { useReviewView } from './views/review.ts';
import { useReviewHistoryView } from './views/review-history.ts';
import { useServerView } from './views/server.ts';
import { useServersView } from './views/servers.ts';
import { useStandingApprovalsView } from './views/standing-approvals.ts';
import { useStartJobView } from './views/start-job.ts';
import { useToolView } from './views/tool.ts';
import { useToolsView } from './views/tools.ts';
import { useWaitingCallView } from './views/waiting-call.ts';

/** Where somebody is: a view and what it is about. */
export type ViewAddress =
  | { readonly view: 'servers' }
  | { readonly view: 'server'; readonly name: string }
  | { readonly view: 'add-server' }
  | { readonly view: 'exposed-tools'; readonly server: string }
  | { readonly view: 'connect-agents' }
  | { readonly view: 'activity' }
  | { readonly view: 'record'; readonly id: number }
  | { readonly view: 'tools' }
  | { readonly view: 'tool'; readonly toolKey: string }
  | { readonly view: 'review' }
  | { readonly view: 'definitions'; readonly keys: readonly string[]; readonly upgradeOf?: string }
  | { readonly view: 'waiting-call'; readonly id: string }
  | { readonly view: 'review-history' }
  | { readonly view: 'standing-approvals' }
  | { readonly view: 'optimizer' }
  | { readonly view: 'start-job'; readonly server: string; readonly tool?: string }
  | { readonly view: 'jobs' }
  | { readonly view: 'job'; readonly id: string }
  | { readonly view: 'description'; readonly server: string; readonly tool: string }
  | { readonly view: 'golden-prompts'; readonly server: string; readonly tool: string }
  | { readonly view: 'batch' }
  | { readonly view: 'export-report'; readonly server?: string }
  | { readonly view: 'help' };

type ViewName = ViewAddress['view'];
type AddressOf<N extends ViewName> = Extract<ViewAddress, { readonly view: N }>;

/** Each is a hook: it is called while its screen is drawn. */
const views: { readonly [N in ViewName]: (address: AddressOf<N>) => Screen } = {
  servers: useServersView,
  server: useServerView,
  'add-server': useAddServerView,
  'exposed-tools': useExposedToolsView,
  'connect-agents': useConnectAgentsView,
  activity: useActivityView,
  record: useRecordView,
  tools: useToolsView,
  tool: useToolView,
  review: useReviewView,
  definitions: useDefinitionsView,
  'waiting-call': useWaitingCallView,
  'review-history': useReviewHistoryView,
  'standing-approvals': useStandingApprovalsView,
  optimizer: useOptimizerView,
  'start-job': useStartJobView,
  jobs: useJobsView,
  job: useJobView,
  description: useDescriptionView,
  'golden-prompts': useGoldenPromptsView,
  batch: useBatchView,
  'export-report': useExportReportView,
  help: useHelpView,
};

/** Calls the hook of the view: a component that does this belongs to one address. */
export function useScreen<N extends ViewName>(address: AddressOf<N>): Screen {
  return views[address.view as N](address);
}

export interface Destination {
  readonly key: string;
  readonly label: string;
  readonly address: ViewAddress;
}

/** Views that can be reached from everywhere. */
export const destinations: readonly Destination[] = [
  { key: 's', label: 'Servers', address: { view: 'servers' } },
  { key: 'l', label: 'Activity log', address: { view: 'activity' } },
  { key: '/', label: 'Tools and search', address: { view: 'tools' } },
  { key: 'v', label: 'Review and approvals', address: { view: 'review' } },
  { key: 'o', label: 'Optimizer', address: { view: 'optimizer' } },
  { key: 'ctrl+o', label: 'Optimize all servers', address: { view: 'batch' } },
  { key: 'ctrl+e', label: 'Export the optimizer’s report', address: { view: 'export-report' } },
  { key: 'i', label: 'Connect an agent', address: { view: 'connect-agents' } },
  { key: 'ctrl+a', label: 'Add a server', address: { view: 'add-server' } },
  { key: '?', label: 'Help', address: { view: 'help' } },
];

/** The same for the same place. */
export function addressKey(address: ViewAddress): string {
  return JSON.stringify(address);
}
