/** A page that sends a browser on, in a file that only its owner can read: what is given to a program as an argument, everybody on the machine can. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface RedirectPage extends AsyncDisposable {
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
