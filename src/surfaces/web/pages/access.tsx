/** Access: who may come in and what they find there, what servers are let in with, and which agents and browsers are there. */

import { Panel } from '../parts/basic.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PageAddress } from '../router.ts';
import { AgentList } from './access/agents.tsx';
import { BrowserList } from './access/browsers.tsx';
import { ProjectList } from './access/projects.tsx';
import { SecretList } from './access/secrets.tsx';
import { TokenList } from './access/tokens.tsx';

export function AccessPage({ address: { query } }: { readonly address: PageAddress }) {
  const project = query.get('project');
  const shown = query.get('tab') ?? (project === null ? 'tokens' : 'projects');
  return (
    <Panel title="Access" tools={<Tabs label="Views of access" shown={shown} />}>
      {shown === 'tokens' && <TokenList />}
      {shown === 'projects' && <ProjectList named={project} />}
      {shown === 'secrets' && <SecretList />}
      {shown === 'agents' && <AgentList />}
      {shown === 'browsers' && <BrowserList />}
    </Panel>
  );
}
