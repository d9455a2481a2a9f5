/** Views of one page, kept in its address. */

import { pageLink, useAddress } from '../router.ts';

interface TabsProps {
  readonly label: string;
  /** Titles by what the address holds. The first one is shown without any. */
  readonly tabs: Readonly<Record<string, string>>;
  readonly shown: string;
}

export function Tabs({ label, tabs, shown }: TabsProps) {
  const { page, parts, query } = useAddress();
  const first = Object.keys(tabs)[0];
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries(tabs).map(([tab, title]) => (
        <a
          key={tab}
          href={pageLink([page, ...parts], { ...Object.fromEntries(query), tab: tab === first ? undefined : tab })}
          aria-current={tab === shown ? 'true' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
