/** The pages, in the order of the menu. A new one is a row here and a file in `pages/`. */

import type { ComponentType } from 'preact';
import { AccessPage, accessTabs } from './pages/access.tsx';
import { AuditRecordsPage } from './pages/audit.tsx';
import { CallsPage } from './pages/calls.tsx';
import { OptimizerPage } from './pages/optimizer.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { ReviewPage, reviewTabs } from './pages/review.tsx';
import { SearchPage } from './pages/search.tsx';
import { ServersPage } from './pages/servers.tsx';
import { ToolsPage } from './pages/tools.tsx';
import { UsagePage } from './pages/usage.tsx';
import type { PageAddress } from './router.ts';

export interface PageRow {
  /** The first part of its address. */
  readonly path: string;
  readonly title: string;
  /** Its views, by what the address holds. */
  readonly tabs?: Readonly<Record<string, string>>;
  /** Shows the page, and whatever below it the rest of the address names. */
  readonly show: ComponentType<{ readonly address: PageAddress }>;
}

export const pages: readonly PageRow[] = [
  { path: 'overview', title: 'Overview', show: OverviewPage },
  { path: 'servers', title: 'Servers', show: ServersPage },
  { path: 'tools', title: 'Tools', show: ToolsPage },
  { path: 'search', title: 'Search', show: SearchPage },
  { path: 'calls', title: 'Calls', show: CallsPage },
  { path: 'usage', title: 'Usage', show: UsagePage },
  { path: 'review', title: 'Review', tabs: reviewTabs, show: ReviewPage },
  { path: 'optimizer', title: 'Optimizer', show: OptimizerPage },
  { path: 'access', title: 'Access', tabs: accessTabs, show: AccessPage },
  { path: 'audit', title: 'Audit', show: AuditRecordsPage },
];
