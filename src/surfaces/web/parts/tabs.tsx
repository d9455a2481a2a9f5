/** Views of one page, kept in its address. */

import { tabsAt } from '../pages.ts';
import { pageLink, useAddress } from '../router.ts';

interface TabsProps {
  readonly label: string;
  readonly shown: string;
  /** How many things wait in a view. */
  readonly counts?: Readonly<Record<string, number>>;
}

export function Tabs({ label, shown, counts = {} }: TabsProps) {
  const { page, parts, query } = useAddress();
  return (
    <nav class="tools tabs" aria-label={label}>
      {Object.entries(tabsAt({ page, parts })).map(([tab, title]) => (
        <a
          key={tab}
          href={pageLink([page, ...parts], { ...Object.fromEntries(query), tab })}
          aria-current={tab === shown ? 'true' : undefined}
        >
          {title}
          {counts[tab] ? <span class="count">{counts[tab]}</span> : null}
        </a>
      ))}
    </nav>
  );
}
