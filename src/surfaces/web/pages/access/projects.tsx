/** Projects: which servers belong together, how their agents find tools, and what may be called there. */

import { useState } from 'preact/hooks';
import type { ProjectReport } from '../../../../admin/admin.ts';
import { Badge, Button, Empty, Facts, WhenFetched } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Said, visibleText } from '../../parts/texts.tsx';
import { useOperation, useOrder } from '../../state.ts';
import { ProjectForm } from './project-form.tsx';

const projectOrigins: Readonly<Record<ProjectReport['origin'], string>> = {
  file: 'config file',
  store: 'data folder',
  servers: 'named by servers',
  gone: 'closed',
};

/** `named`: the project in the address; it is shown first. */
export function ProjectList({ named }: { readonly named: string | null }) {
  const list = useOperation('projects.list', {}, ['projects', 'config', 'tokens', 'servers']);
  /** The one that is edited; `new`: one that is made. */
  const [editing, setEditing] = useState<ProjectReport | 'new' | undefined>();
  return (
    <>
      <div class="tools summary">
        <Button label="Create a project" class="main" onClick={() => setEditing('new')} />
        <span>Agents in a project see only its servers.</span>
      </div>
      <WhenFetched answer={list}>
        {(projects) =>
          projects.length === 0 ? (
            <Empty title="No projects">A project is a set of servers with its own search and permissions.</Empty>
          ) : (
            <div class="box cards">
              {projects
                .toSorted((a, b) => Number(b.name === named) - Number(a.name === named))
                .map((project) => (
                  <ProjectCard
                    key={project.name}
                    project={project}
                    isOpen={project.name === named}
                    onEdit={() => setEditing(project)}
                  />
                ))}
            </div>
          )
        }
      </WhenFetched>
      {editing === 'new' && <ProjectForm project={undefined} onClose={() => setEditing(undefined)} />}
      {editing !== undefined && editing !== 'new' && (
        <ProjectForm
          project={list.data?.find(({ name }) => name === editing.name) ?? editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  );
}

interface ProjectCardProps {
  readonly project: ProjectReport;
  readonly isOpen: boolean;
  readonly onEdit: () => void;
}

function ProjectCard({ project, isOpen, onEdit }: ProjectCardProps) {
  const { name, origin, description, members, search } = project;
  const isClosed = origin === 'gone';
  return (
    <div class="card">
      <details open={isOpen}>
        <summary class="card-head">
          <Said as="strong" text={name} />
          <Badge tone={isClosed ? 'bad' : 'quiet'}>{projectOrigins[origin]}</Badge>
          {!isClosed && (
            <small class="why">
              {members.length === 1 ? '1 server' : `${members.length} servers`}
              {origin === 'servers' ? '' : search === null ? ', discovery off' : `, ${search}`}
              {description !== null && ` – ${visibleText(description)}`}
            </small>
          )}
        </summary>
        <div class="card-detail">
          {isClosed && (
            <p class="notice bad">
              The config file no longer has this project, so it is closed. Put it back there, or define it again here.
            </p>
          )}
          <ProjectFacts project={project} />
          <ProjectOrders project={project} onEdit={onEdit} />
        </div>
      </details>
    </div>
  );
}

function ProjectFacts({ project }: { readonly project: ProjectReport }) {
  const { description, servers, members, search, surface, permissions, tokens, path, unmatched, origin } = project;
  const rules = Object.entries(permissions).map(([tool, permission]) => `${permission} ${tool}`);
  return (
    <Facts
      rows={[
        ['Purpose', description && <Said text={description} />],
        ['Servers', servers.join(', ')],
        ['Matching servers', members.join(', ') || 'none'],
        ['Context optimization', origin === 'servers' ? '' : (search ?? 'off: agents call the tools they know')],
        ['Surface', surface ?? 'as configured'],
        ['Permissions', rules.join(', ')],
        ['Tokens', tokens.join(', ')],
        ['Door', <code key="door">{path}</code>],
        ['Patterns without a match', unmatched.join(', ')],
      ]}
    />
  );
}

/** Those of the config file are edited there. */
function ProjectOrders({ project, onEdit }: { readonly project: ProjectReport; readonly onEdit: () => void }) {
  const { name, origin, place, tokens } = project;
  const { isRunning, give } = useOrder();
  if (origin === 'file')
    return (
      <p>
        <small>
          This project is in the config file. Change it there, without a restart: <code>{place}</code>
        </small>
      </p>
    );
  if (origin === 'servers') return <small>It exists because servers name it in their settings.</small>;
  const loss = tokens.length === 0 ? '' : ` Tokens bound to it then find nothing: ${tokens.join(', ')}.`;
  return (
    <div class="tools">
      <Button label={origin === 'gone' ? 'Define again' : 'Edit'} onClick={onEdit} />
      {origin === 'store' && (
        <ConfirmButton
          label="Remove"
          question={`Remove project “${name}” with its settings? Its servers stay.${loss}`}
          isDisabled={isRunning}
          onConfirm={() => void give('projects.remove', { name, force: true }, `Project ${name} is removed.`)}
        />
      )}
    </div>
  );
}
