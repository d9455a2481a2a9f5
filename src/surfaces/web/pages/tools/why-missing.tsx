/** Why is a tool missing? One sentence for a name, and a link to the place where it is changed. */

import { useEffect, useState } from 'preact/hooks';
import type { OutputOf } from '../../../../admin/admin.ts';
import { Badge, FormField, Panel, WhenFetched } from '../../parts/basic.tsx';
import { visibleText } from '../../parts/texts.tsx';
import { pageLink, setQuery } from '../../router.ts';
import { useOperation } from '../../state.ts';

type Told = OutputOf<'tools.why'>['answers'][number];

/** `name`: what was asked last, kept in the address. */
export function WhyMissing({ name }: { readonly name: string }) {
  const [typed, setTyped] = useState(name);
  useEffect(() => setTyped(name), [name]);
  const [token, setToken] = useState('');
  const [project, setProject] = useState('');
  const { data: tokens = [] } = useOperation('tokens.list', {}, ['tokens']);
  const { data: projects = [] } = useOperation('projects.list', {}, ['projects']);
  const input = { name, ...(token !== '' && { token }), ...(project !== '' && { project }) };
  const answer = useOperation('tools.why', name.trim() === '' ? null : input, ['tools', 'definitions', 'servers']);
  return (
    <Panel title="Why is a tool missing?">
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ why: typed.trim() });
        }}
      >
        <FormField label="Tool or server">
          <input
            value={typed}
            placeholder="server:tool, a tool’s name, or a server"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </FormField>
        <FormField label="As token">
          <select value={token} onChange={({ currentTarget }) => setToken(currentTarget.value)}>
            <option value="">Any agent</option>
            {tokens.map((one) => (
              <option key={one.id}>{one.name}</option>
            ))}
          </select>
        </FormField>
        <FormField label="Project">
          <select value={project} onChange={({ currentTarget }) => setProject(currentTarget.value)}>
            <option value="">None</option>
            {projects.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </FormField>
        <button type="submit" class="main" disabled={typed.trim() === ''}>
          Explain
        </button>
      </form>
      {name.trim() !== '' && (
        <WhenFetched answer={answer}>
          {({ answers }) => (
            <ul class="plain-list" aria-live="polite">
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
