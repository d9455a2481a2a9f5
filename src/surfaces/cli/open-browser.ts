/** Opens an address in the browser of this machine; never through a shell, and only addresses of web pages. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { homeOf } from '../../base/folders.ts';
import { startDetached } from '../../base/spawn.ts';

export interface BrowserCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The program that opens a page; null where there is no screen. */
export function browserCommand(
  pageUrl: string,
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): BrowserCommand | null {
  if (platform === 'darwin') return { command: 'open', args: [pageUrl] };
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', pageUrl] };
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasScreen ? { command: 'xdg-open', args: [pageUrl] } : null;
}

/** Undefined: it is none that a browser may be given. As it is normalised: without spaces, quotes and control characters. */
export function webAddress(address: string): URL | undefined {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/**
 * Undefined where no browser was started; what one does with the address nobody learns. The page is to be disposed of when
 * the browser no longer needs it.
 */
export async function openBrowser(
  address: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<RedirectPage | undefined> {
  const url = webAddress(address);
  if (url === undefined) return undefined;
  // Where nothing can be written, nothing is shown: the address is printed as well.
  const page = hasSecret(url) ? await writeRedirectPage(url, homeOf(env)).catch(() => undefined) : plainPage(url);
  if (page === undefined) return undefined;
  const browser = browserCommand(page.url, process.platform, env);
  if (browser !== null && (await isStarted(browser, cwd, env))) return page;
  await page[Symbol.asyncDispose]();
  return undefined;
}

/** Everybody on this machine can read the arguments of its programs. */
function hasSecret({ search, hash }: URL): boolean {
  return search !== '' || hash !== '';
}

function plainPage({ href }: URL): RedirectPage {
  return { url: href, [Symbol.asyncDispose]: async () => {} };
}

async function isStarted(browser: BrowserCommand, cwd: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  // Tokens for the gateway are no business of a browser.
  const { TOOLCRIB_TOKEN: _token, TOOLCRIB_SECRET_KEY: _key, ...rest } = env;
  const { exited } = startDetached(browser.command, browser.args, { cwd, env: rest });
  const failed = exited.then(
    (code) => code !== 0,
    () => true,
  );
  return !(await Promise.race([failed, soon()]));
}

/** A program that is not there fails at once; one that is may take its time. */
const startMs = 500;

function soon(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), startMs).unref());
}

interface RedirectPage extends AsyncDisposable {
  readonly url: string;
}

/** `folder`: one that browsers can read; those that come in a box of their own see no hidden ones, and no temporary files. */
export async function writeRedirectPage(address: URL, folder: string): Promise<RedirectPage> {
  const own = await mkdtemp(join(folder, 'toolcrib-sign-in-'));
  const remove = () => rm(own, { recursive: true, force: true });
  try {
    const file = join(own, 'sign-in.html');
    await writeFile(file, pageTo(address), { mode: 0o600, flag: 'wx' });
    return { url: pathToFileURL(file).href, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function pageTo(address: URL): string {
  const target = address.href.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="content-security-policy" content="default-src 'none'">
<meta http-equiv="refresh" content="0; url=${target}">
<title>Toolcrib</title>
<p><a href="${target}">Go on to the sign-in</a></p>
</html>
`;
}
