/** Search: what agents get for a need, as anybody sees it, with each score taken apart; two modes side by side. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { InputOf, OutputOf, SearchExplanation } from '../../../admin/admin.ts';
import { isLocalMode, leftOutWords } from '../../wording/wording.ts';
import { Empty, Loading, Panel, WhenFetched } from '../parts/basic.tsx';
import { PageForm, SelectField, TextField } from '../parts/fields.tsx';
import { formatCount, formatShare, Said, ToolLink, visibleText } from '../parts/texts.tsx';
import { type PageAddress, setQuery } from '../router.ts';
import { type Fetched, useLive, useOperation, useOwnCommand } from '../state.ts';
import { ComparedHits } from './search/compare.tsx';
import { ScoreLegend, SearchHits } from './search/hits.tsx';
import { searchCommand } from './search/score-parts.ts';

type ExplainInput = InputOf<'search.explain'>;
type Mode = NonNullable<ExplainInput['mode']>;

const modes: readonly Mode[] = ['bm25', 'semantic', 'hybrid', 'llm', 'cloud'];
const counts = [5, 10, 20, 50];
/** Typing has to pause this long before a search. */
const pauseMs = 350;

/** The whole request, as the address of the page has it. */
interface Wanted {
  readonly query: string;
  readonly mode: Mode | undefined;
  readonly other: Mode | undefined;
  readonly token: string | undefined;
  readonly project: string | undefined;
  readonly server: string | undefined;
  readonly limit: number;
}

function wantedIn({ query }: PageAddress): Wanted {
  const modeIn = (name: string) => modes.find((mode) => mode === query.get(name));
  return {
    query: query.get('q') ?? '',
    mode: modeIn('mode'),
    other: modeIn('with'),
    token: query.get('token') ?? undefined,
    project: query.get('project') ?? undefined,
    server: query.get('server') ?? undefined,
    limit: counts.find((count) => String(count) === query.get('limit')) ?? 10,
  };
}

export function SearchPage({ address }: { readonly address: PageAddress }) {
  const wanted = wantedIn(address);
  const { query, mode, other, token, project, server, limit } = wanted;
  const input = query.trim() === '' ? null : { query, limit, token, project, server };
  const status = useOperation('search.status', {}, ['tools', 'config']);
  const asked = JSON.stringify({ ...wanted, query: '' });
  const left = useLast(asked, useOperation('search.explain', input && { ...input, mode }, ['tools', 'config']));
  const right = useLast(
    asked,
    useOperation('search.explain', input && other ? { ...input, mode: other } : null, ['tools', 'config']),
  );
  return (
    <>
      <Panel title="Search">
        <SearchForm wanted={wanted} usualMode={status.data?.mode} />
        {status.data && <IndexStatus status={status.data} />}
      </Panel>
      {input === null ? (
        <Empty title="Type what an agent might need">For example: “send an e-mail to the team”.</Empty>
      ) : (
        <WhenFetched answer={left}>
          {(answer) => (
            <>
              <Answer answer={answer} other={other ? right : undefined} wanted={wanted} />
              <LeftOut answer={answer} />
            </>
          )}
        </WhenFetched>
      )}
    </>
  );
}

/** Keeps the last answer while another text is searched for, so that typing does not make the page flicker; `asked`: all but the text. */
function useLast<T>(asked: string, fetched: Fetched<T>): Fetched<T> {
  const last = useRef<{ readonly asked: string; readonly data: T | undefined }>({ asked, data: undefined });
  if (fetched.data !== undefined || fetched.error || last.current.asked !== asked)
    last.current = { asked, data: fetched.data };
  return fetched.data === undefined && !fetched.error ? { ...fetched, data: last.current.data } : fetched;
}

interface SearchFormProps {
  readonly wanted: Wanted;
  readonly usualMode: Mode | undefined;
}

function SearchForm({ wanted, usualMode }: SearchFormProps) {
  const { query, mode, other, token, project, server, limit } = wanted;
  const servers = useLive((view) => view.servers);
  const tokens = useOperation('tokens.list', {}, ['tokens']);
  const projects = useOperation('projects.list', {}, ['projects']);
  const [text, setText] = useState(query);
  // The address has it trimmed; a space at the end may be followed by another word.
  useLayoutEffect(() => setText((typed) => (typed.trim() === query.trim() ? typed : query)), [query]);
  const strategy = projects.data?.find(({ name }) => name === project)?.search;
  const isLive = isLocalMode(mode ?? strategy ?? usualMode) && (other === undefined || isLocalMode(other));
  const search = () => setQuery({ q: text.trim() });
  useLayoutEffect(() => {
    if (!isLive || text.trim() === query.trim()) return;
    const timer = setTimeout(search, pauseMs);
    return () => clearTimeout(timer);
  }, [text, query, isLive]);
  const chosen = (name: string, value: string | undefined) => ({
    value: value ?? '',
    onValue: (next: string) => setQuery({ q: text.trim(), [name]: next }),
  });
  return (
    <PageForm onSend={() => search()}>
      <TextField
        label="What an agent needs"
        hint={isLive ? undefined : 'Press Enter to search: this mode asks another service.'}
        type="search"
        value={text}
        maxLength={2_000}
        onValue={setText}
      />
      <div class="grid fields">
        <SelectField label="Mode" none="As configured" choices={modes} {...chosen('mode', mode)} />
        <SelectField label="Compare with" none="Nothing" choices={modes} {...chosen('with', other)} />
        <SelectField label="As token" none="You" choices={namesOf(tokens.data)} {...chosen('token', token)} />
        <SelectField
          label="Project"
          none={token ? 'Of the token' : 'None'}
          choices={namesOf(projects.data)}
          {...chosen('project', project)}
        />
        <SelectField label="Server" none="Any" choices={[...servers.keys()]} {...chosen('server', server)} />
        <SelectField label="Tools to show" choices={counts.map(String)} {...chosen('limit', String(limit))} />
      </div>
    </PageForm>
  );
}

function namesOf(rows: readonly { readonly name: string }[] = []): readonly string[] {
  return rows.map(({ name }) => name);
}

function IndexStatus({ status }: { readonly status: OutputOf<'search.status'> }) {
  const { tools, model, vectors, problems, mode } = status;
  const waiting =
    vectors && vectors.waiting > 0 ? `; ${formatCount(vectors.waiting)} still wait for their vectors` : '';
  return (
    <>
      <small>
        {formatCount(tools)} tools are indexed{waiting}. The search mode of agents is {mode}
        {model === null ? ', by words only' : ` with the model ${model}`}.
      </small>
      {problems.map((problem) => (
        <p key={problem} class="notice warn">
          {problem}
        </p>
      ))}
    </>
  );
}

interface AnswerProps {
  readonly answer: SearchExplanation;
  readonly other: Fetched<SearchExplanation> | undefined;
  readonly wanted: Wanted;
}

function Answer({ answer, other, wanted: { query, mode, token, project, server } }: AnswerProps) {
  const { as, notice, isSure, hits } = answer;
  const command = useOwnCommand();
  const whose = `${token === undefined ? 'You see' : `${as.name} sees`} ${formatCount(as.tools)} of ${formatCount(as.allTools)} tools`;
  const doubt = hits.some(({ isOffered }) => isOffered)
    ? 'None of these is a likely match. Agents get a notice that says so.'
    : 'No tool matches well enough. Agents get only the names of the nearest.';
  return (
    <Panel
      title={other ? 'Side by side' : answer.mode === null ? 'Search is off' : `Found by ${answer.mode} search`}
      tools={<ScoreLegend />}
    >
      <p>
        {whose}
        {as.project !== null && ` in the project ${as.project}`}.{' '}
        {answer.mode === null && 'Discovery is switched off in this project.'}
      </p>
      {notice !== null && <Said as="p" class="notice warn" text={notice} />}
      {hits.length > 0 && !isSure && <p class="notice warn">{doubt}</p>}
      {hits.length === 0 && !other && answer.mode !== null && <Empty title="No tool matches" />}
      {other ? (
        other.data ? (
          <>
            {other.data.notice !== null && other.data.notice !== notice && (
              <Said as="p" class="notice warn" text={other.data.notice} />
            )}
            <ComparedHits left={answer} right={other.data} />
          </>
        ) : other.error ? (
          <p class="notice bad">{other.error.message}</p>
        ) : (
          <Loading />
        )
      ) : (
        <SearchHits hits={hits} />
      )}
      {token === undefined && project === undefined && (
        <p>
          <small>The same in a terminal:</small>{' '}
          <code>{visibleText(searchCommand(command, query, { mode, server }))}</code>
        </p>
      )}
    </Panel>
  );
}

/** Less relevant tools are not listed as left out. */
const leastMissed = 0.01;

function LeftOut({ answer: { leftOut } }: { readonly answer: SearchExplanation }) {
  const missed = leftOut.filter(({ relevance }) => relevance >= leastMissed);
  if (missed.length === 0) return null;
  return (
    <Panel title="Left out">
      <p>Tools that would rank among these if nothing kept them out.</p>
      <table class="plain-table" aria-label="Left out">
        <thead>
          <tr>
            <th>Tool</th>
            <th>Why</th>
            <th class="number">Relevance</th>
          </tr>
        </thead>
        <tbody>
          {missed.map(({ toolKey, why, relevance }) => (
            <tr key={toolKey}>
              <td>
                <ToolLink toolKey={toolKey} />
              </td>
              <td>{leftOutWords[why]}</td>
              <td class="number">{formatShare(relevance)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
