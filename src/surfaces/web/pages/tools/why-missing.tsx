/** Why is a tool missing? One sentence for a name, and a link to the place where it is changed. */

import { useLayoutEffect, useState } from 'preact/hooks';
import type { OutputOf } from '../../../../admin/admin.ts';
import { Badge, Panel, WhenFetched } from '../../parts/basic.tsx';
import { PageForm, SelectField, TextField } from '../../parts/fields.tsx';
import { visibleText } from '../../parts/texts.tsx';
import { pageLink, setQuery } from '../../router.ts';
import { useOperation } from '../../state.ts';

type Told = OutputOf<'tools.why'>['answers'][number];

/** `name`: what was asked last, kept in the address. */
export function WhyMissing({ name }: { readonly name: string }) {
  const [typed, setTyped] = useState(name);
  useLayoutEffect(() => setTyped(name), [name]);
  const [token, setToken] = useState('');
  const [project, setProject] = useState('');
  const { data: tokens = [] } = useOperation('tokens.list', {}, ['tokens']);
  const { data: projects = [] } = useOperation('projects.list', {}, ['projects']);
  const input = { name, ...(token !== '' && { token }), ...(project !== '' && { project }) };
  const answer = useOperation('tools.why', name.trim() === '' ? null : input, ['tools', 'definitions', 'servers']);
  return (
    <Panel title="Why is a tool missing?">
      <PageForm class="grid fields ask" onSend={() => setQuery({ why: typed.trim() })}>
        <TextField label="Tool or server" placeholder="server:tool" value={typed} onValue={setTyped} />
        <SelectField
          label="As token"
          none="Any agent"
          value={token}
          choices={tokens.map(({ name: one }) => one)}
          onValue={setToken}
        />
        <SelectField
          label="Project"
          none="None"
          value={project}
          choices={projects.map(({ name: one }) => one)}
          onValue={setProject}
        />
        <button type="submit" class="main" disabled={typed.trim() === ''}>
          Explain
        </button>
      </PageForm>
      {name.trim() !== '' && (
        <WhenFetched answer={answer}>
          {({ answers }) => (
            <ul class="list" aria-live="polite">
              {answers.map((told) => (
                <li key={`${told.server}:${told.tool}`}>
                  <ToldReason told={told} />
                </li>
              ))}
            </ul>
          )}
        </WhenFetched>
      )}
    </Panel>
  );
}

export function ToldReason({ told }: { readonly told: Told }) {
  const place = placeOf(told);
  return (
    <p>
      <Badge tone={told.reason === null ? 'good' : 'warn'}>{told.reason === null ? 'there' : 'missing'}</Badge>{' '}
      {visibleText(told.message)} {told.hint !== null && <span class="soft">{visibleText(told.hint)} </span>}
      {place && <a href={place.link}>{place.label}</a>}
    </p>
  );
}

/** Where the reason is changed. */
function placeOf({ reason, server, tool }: Told): { readonly label: string; readonly link: string } | undefined {
  switch (reason) {
    case null:
      return tool === null ? undefined : { label: 'Open the tool', link: pageLink(['tools', `${server}:${tool}`]) };
    case 'withheld':
    case 'on-hold':
      return { label: 'Review', link: pageLink(['review'], { server }) };
    case 'scope':
    case 'server':
    case 'project':
      return { label: 'Access', link: pageLink(['access']) };
    case 'unknown':
      return undefined;
    default:
      return { label: `Open server ${server}`, link: pageLink(['servers', server]) };
  }
}
