/** Who this browser is at the gateway: the token of its sign-in, and requests that carry it. */

import type { InputOf, OperationName, OutputOf } from '../../admin/admin.ts';

/** The person behind the token. */
export interface Person {
  readonly name: string;
  readonly scopes: readonly string[];
}

interface SignedIn extends Person {
  /** null: the gateway asks for no token. */
  readonly token: string | null;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  /** Facts for a page that knows the code. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(status: number, { code = '', message = '', hint = undefined as string | undefined, data = {} }) {
    super(message || `The gateway answered HTTP ${status}.`);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.data = data;
  }
}

/** The address of the gateway without a slash at its end: where this page was loaded from, which may be below a path. */
export function gatewayUrl(): string {
  return new URL('.', location.href).href.replace(/\/$/, '');
}

/** The browser forgets it with the tab. */
const storageKey = 'toolcrib';

let token: string | null = null;
let onSignedOut = () => {};

/** Told when the gateway no longer knows this browser. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** With the code of a link, or as before; undefined: a link is needed. Throws ApiError for a link that does not work. */
export async function signInBrowser(): Promise<Person | undefined> {
  const code = takeCode();
  if (code !== undefined) return keep(await post<SignedIn>('/sign-in', { code }));
  const kept = sessionStorage.getItem(storageKey);
  if (kept !== null) return keep(JSON.parse(kept) as SignedIn); // written below
  // Where no token is needed, the gateway says so.
  return post<SignedIn>('/sign-in', {}).then(keep, (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  });
}

export async function signOut(): Promise<void> {
  const ordered = post('/sign-out', {}).catch(() => {});
  // At once: the gateway announces the change, and a page that still asked would be refused.
  forget();
  await ordered;
}

function forget(): void {
  sessionStorage.removeItem(storageKey);
  token = null;
  onSignedOut();
}

function keep(signedIn: SignedIn): Person {
  token = signedIn.token;
  sessionStorage.setItem(storageKey, JSON.stringify(signedIn));
  return signedIn;
}

/** The code goes from the address at once, so that nobody sees or bookmarks it. */
function takeCode(): string | undefined {
  const code = /^#code=([\w.-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname);
  return code;
}

/** Runs an operation of the gateway. Throws ApiError. */
export function run<N extends OperationName>(name: N, input: InputOf<N>, signal?: AbortSignal): Promise<OutputOf<N>> {
  return post(pathOf(name), input, signal);
}

/** The same for a question in the background: the page counts as at rest meanwhile. */
export function runInBackground<N extends OperationName>(
  name: N,
  input: InputOf<N>,
  signal: AbortSignal,
): Promise<OutputOf<N>> {
  return send(pathOf(name), input, signal);
}

function pathOf(name: OperationName): string {
  return `/api/${name.replaceAll('.', '/')}`;
}

/** The page is at rest when nothing is asked. */
let pending = 0;
export function countPending(change: 1 | -1): void {
  pending += change;
  const { dataset } = document.documentElement;
  if (pending > 0) dataset.state = 'busy';
  // Effects of an answer may ask on: they run first.
  else
    setTimeout(() => {
      if (pending === 0) dataset.state = 'ready';
    }, 30);
}

async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  countPending(1);
  try {
    return await send(path, body, signal);
  } finally {
    countPending(-1);
  }
}

async function send<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const init = { method: 'POST', headers: { ...headers(), 'content-type': 'application/json' } };
  const response = await fetch(`${gatewayUrl()}${path}`, {
    ...init,
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
  if (!response.ok) throw asError(response.status, await response.json().catch(() => undefined));
  // Treats an incomplete answer as no answer.
  return (await response.json()) as T;
}

export function headers(): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export function asError(status: number, body: unknown): ApiError {
  const error = (body as { error?: Partial<Pick<ApiError, 'code' | 'message' | 'hint' | 'data'>> } | undefined)?.error;
  const refused = new ApiError(status, error ?? {});
  if (status === 401 && token !== null) forget();
  return refused;
}
