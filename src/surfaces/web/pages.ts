/** The pages and the addresses below them, in the order of the menu: as data, so that tests visit each of them. */

/** Titles by what the address holds as `tab`. */
type PageTabs = Readonly<Record<string, string>>;

interface PagePlace {
  readonly page: string;
  readonly parts: readonly string[];
}

interface PageRow {
  /** The first part of its address. */
  readonly path: string;
  readonly title: string;
  /** Its views. */
  readonly tabs?: PageTabs;
  /** What each further part of the address names; there are pages at every level. */
  readonly below?: readonly { readonly names: string; readonly tabs?: PageTabs }[];
}

const toolTabs = { definition: 'Definition', try: 'Try it', history: 'History', figures: 'Figures' };
const callTabs = { timeline: 'Timeline', charts: 'Over time', recording: 'Recording' };
const reviewTabs = {
  definitions: 'Definitions',
  calls: 'Waiting calls',
  standing: 'Standing approvals',
  history: 'History',
};
const accessTabs = {
  tokens: 'Tokens',
  projects: 'Projects',
  secrets: 'Secrets',
  agents: 'Agents',
  browsers: 'Browsers',
};

/** A new one is a row here, a file in `pages/` and its name in `app.tsx`. */
const rows = [
  { path: 'overview', title: 'Overview' },
  { path: 'servers', title: 'Servers', below: [{ names: 'server' }] },
  { path: 'tools', title: 'Tools', below: [{ names: 'tool', tabs: toolTabs }] },
  { path: 'search', title: 'Search' },
  { path: 'calls', title: 'Calls', tabs: callTabs, below: [{ names: 'call' }] },
  { path: 'usage', title: 'Usage' },
  { path: 'review', title: 'Review', tabs: reviewTabs },
  { path: 'optimizer', title: 'Optimizer', below: [{ names: 'server' }, { names: 'tool' }] },
  { path: 'access', title: 'Access', tabs: accessTabs },
  { path: 'audit', title: 'Audit', below: [{ names: 'record' }] },
] as const satisfies readonly PageRow[];

export type PagePath = (typeof rows)[number]['path'];

export const pages: readonly (PageRow & { readonly path: PagePath })[] = rows;

/** The row of the page at an address; undefined where there is none. */
export function pageRowAt({ page, parts }: PagePlace): (typeof pages)[number] | undefined {
  return pages.find(({ path, below = [] }) => path === page && parts.length <= below.length);
}

/** The views at an address. */
export function tabsAt(place: PagePlace): PageTabs {
  const row = pageRowAt(place);
  const level = place.parts.length;
  return (level === 0 ? row?.tabs : row?.below?.[level - 1]?.tabs) ?? {};
}
