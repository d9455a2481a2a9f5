/** The version of this program, from its package file, which lies beside `src/` and `dist/` alike. */

import { readFileSync } from 'node:fs';

export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** How we introduce ourselves, to servers and to agents. */
export const implementation = Object.freeze({ name: 'toolcrib', title: 'Toolcrib', version });
