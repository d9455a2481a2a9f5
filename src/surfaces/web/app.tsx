/** The frame of the dashboard: signing in, the menu, the page, and what has to be told on every page. */

import type { ComponentType } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LiveState } from '../live/live.ts';
import { LiveStore } from '../live/live.ts';
import { followThisGateway } from './live-source.ts';
import { AccessPage } from './pages/access.tsx';
import { AuditRecordsPage } from './pages/audit.tsx';
import { CallsPage } from './pages/calls.tsx';
import { OptimizerPage } from './pages/optimizer.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { ReviewPage } from './pages/review.tsx';
import { SearchPage } from './pages/search.tsx';
import { ServersPage } from './pages/servers.tsx';
import { ToolsPage } from './pages/tools.tsx';
import { UsagePage } from './pages/usage.tsx';
import { type PagePath, pageRowAt, pages } from './pages.ts';
import { Empty, Failed, Loading } from './parts/basic.tsx';
import { Palette } from './parts/palette.tsx';
import { RecordingMark } from './parts/recording-mark.tsx';
import { formatCount, visibleText } from './parts/texts.tsx';
import { type PageAddress, pageLink, useAddress } from './router.ts';
import { ApiError, type Person, signInBrowser, signOut, whenSignedOut } from './session.ts';
import { PageContext, type PageState, useLiveState, usePageState, useWaitingCount } from './state.ts';

type Entry =
  | { readonly kind: 'entering' }
  | { readonly kind: 'outside'; readonly reason?: ApiError }
  | { readonly kind: 'inside'; readonly person: Person };

export function App() {
  const [entry, setEntry] = useState<Entry>({ kind: 'entering' });
  useLayoutEffect(() => {
    whenSignedOut(() => setEntry({ kind: 'outside' }));
    signInBrowser().then(
      (person) => setEntry(person ? { kind: 'inside', person } : { kind: 'outside' }),
      (reason: unknown) => setEntry({ kind: 'outside', ...(reason instanceof ApiError && { reason }) }),
    );
  }, []);
  if (entry.kind === 'entering') return <Loading />;
  if (entry.kind === 'outside') return <Outside reason={entry.reason} />;
  return <Inside person={entry.person} onRefused={(reason) => setEntry({ kind: 'outside', reason })} />;
}

/** A refusal of the gateway says itself what to do. */
function Outside({ reason }: { readonly reason: ApiError | undefined }) {
  const isForbidden = reason?.status === 403;
  return (
    <main class="outside">
      <h1>{isForbidden ? 'Not allowed' : 'Not signed in'}</h1>
      {reason && <p>{reason.message}</p>}
      {isForbidden && <p>You are signed in, but not as the owner. The dashboard needs the scope “admin”.</p>}
      {!reason && (
        <p>
          Run <code>toolcrib open</code> on the gateway’s machine (from a checkout: <code>npx toolcrib open</code> in
          its folder). It opens this page with a link that works once.
        </p>
      )}
    </main>
  );
}

interface InsideProps {
  readonly person: Person;
  readonly onRefused: (reason: ApiError) => void;
}

function Inside({ person, onRefused }: InsideProps) {
  const [live] = useState(() => new LiveStore());
  const refused = useRef(onRefused);
  useLayoutEffect(() => {
    const stop = new AbortController();
    followThisGateway(live.set, stop.signal).catch((error: unknown) => {
      if (error instanceof ApiError) refused.current(error);
    });
    return () => stop.abort();
  }, [live]);
  const { messages, tell, dismiss } = useMessages();
  const state = useMemo((): PageState => ({ live, person, tell }), [live, person, tell]);
  const beforeView = useLiveState(live, ({ connection, view }) => (view ? undefined : connection));
  if (beforeView === 'lost') return <Failed message="The gateway does not answer. Trying again …" />;
  if (beforeView) return <Loading />;
  return (
    <PageContext.Provider value={state}>
      <Frame />
      <div class="messages" role="status" aria-live="polite">
        {messages.map(({ id, text, kind }) => (
          <p key={id} class={kind}>
            {visibleText(text)}
            <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
              ✕
            </button>
          </p>
        ))}
      </div>
    </PageContext.Provider>
  );
}

interface Message {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'failed';
}

/** Failures stay longer: they are longer, and matter more. */
const messageMs = { done: 4_000, failed: 12_000 };

interface Messages {
  readonly messages: readonly Message[];
  readonly tell: PageState['tell'];
  readonly dismiss: (id: number) => void;
}

function useMessages(): Messages {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const count = useRef(0);
  const dismiss = (id: number) => setMessages((all) => all.filter((one) => one.id !== id));
  const [tell] = useState(() => (text: string, kind: Message['kind'] = 'done') => {
    count.current += 1;
    const message = { id: count.current, text, kind };
    setMessages((all) => [...all, message]);
    setTimeout(() => dismiss(message.id), messageMs[kind]);
  });
  return { messages, tell, dismiss };
}

/** Each shows its page, and whatever below it the rest of the address names. */
const components: Readonly<Record<PagePath, ComponentType<{ readonly address: PageAddress }>>> = {
  overview: OverviewPage,
  servers: ServersPage,
  tools: ToolsPage,
  search: SearchPage,
  calls: CallsPage,
  usage: UsagePage,
  review: ReviewPage,
  optimizer: OptimizerPage,
  access: AccessPage,
  audit: AuditRecordsPage,
};

function Frame() {
  const connection = useConnection();
  const address = useAddress();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const path = address.page || (pages[0]?.path ?? '');
  const page = pageRowAt({ ...address, page: path });
  const Page = page && components[page.path];
  useLayoutEffect(() => {
    document.title = page ? `${page.title} – Toolcrib` : 'Toolcrib';
  }, [page]);
  const main = useRef<HTMLElement>(null);
  const place = [path, ...address.parts].join('/');
  const lastPlace = useRef(place);
  useLayoutEffect(() => {
    // The link that led here may be gone; a filter or a tab changes the query alone and keeps the focus.
    if (lastPlace.current !== place) main.current?.focus({ preventScroll: true });
    lastPlace.current = place;
  }, [place]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Menu path={path} onPalette={() => setPaletteOpen(true)} />
      <main id="main" ref={main} tabIndex={-1}>
        {connection === 'lost' && (
          <p class="notice warn" role="status">
            The gateway does not answer. This page may be out of date. Trying again …
          </p>
        )}
        <RecordingMark />
        {Page ? <Page address={address} /> : <Empty title="There is no such page" />}
      </main>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}

function useConnection(): LiveState['connection'] {
  return useLiveState(usePageState().live, ({ connection }) => connection);
}

interface MenuProps {
  readonly path: string;
  readonly onPalette: () => void;
}

function Menu({ path, onPalette }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const { person } = usePageState();
  const connection = useConnection();
  const count = useWaitingCount();
  const waiting = count > 0 && (
    <span class="count">
      {formatCount(count)}
      <span class="unseen"> waiting for you</span>
    </span>
  );
  return (
    <header class={isOpen ? 'menu open' : 'menu'}>
      <div class="brand">
        <strong>Toolcrib</strong>
        <span class={`connection ${connection}`}>{connection === 'live' ? 'live' : 'reconnecting'}</span>
        <button type="button" class="plain burger" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Menu {waiting}
        </button>
      </div>
      <nav aria-label="Pages">
        {pages.map((page) => (
          <a
            key={page.path}
            href={pageLink([page.path])}
            aria-current={page.path === path ? 'page' : undefined}
            onClick={() => setOpen(false)}
          >
            {page.title} {page.path === 'review' && waiting}
          </a>
        ))}
      </nav>
      <div class="menu-foot">
        <button type="button" class="plain" onClick={onPalette}>
          Go to … <kbd>Ctrl K</kbd>
        </button>
        <span>{person.name}</span>
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}
