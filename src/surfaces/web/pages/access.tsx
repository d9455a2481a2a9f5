/** Access: tokens, projects and secrets: who may come in, what they find, and what servers are let in with. */

import { Panel } from '../parts/basic.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PageAddress } from '../router.ts';
import { ProjectList } from './access/projects.tsx';
import { SecretList } from './access/secrets.tsx';
import { TokenList } from './access/tokens.tsx';

const tabs = { tokens: 'Tokens', projects: 'Projects', secrets: 'Secrets' };

export function AccessPage({ address: { query } }: { readonly address: PageAddress }) {
  const project = query.get('project');
  const shown = query.get('tab') ?? (project === null ? 'tokens' : 'projects');
  return (
    <Panel title="Access" tools={<Tabs label="Views of access" tabs={tabs} shown={shown} />}>
      {shown === 'tokens' && <TokenList />}
      {shown === 'projects' && <ProjectList named={project} />}
      {shown === 'secrets' && <SecretList />}
    </Panel>
  );
}
