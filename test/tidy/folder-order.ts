/** Decides if one file of the repository may import another: the order of folders, as `rules.ts` states it. */

import { posix } from 'node:path';
import { isTest } from './finding.ts';
import {
  folderOrder,
  gatewayUsers,
  importExceptions,
  innerFronts,
  openFolders,
  outsideImports,
  rootFiles,
} from './rules.ts';

/** Why `from` may not import `to`; undefined when it may. */
export function checkFolderOrder(from: string, to: string): string | undefined {
  if (importExceptions.some((exception) => exception.from === from && exception.to === to)) return undefined;
  if (!from.startsWith('src/') || isTest(from)) return checkOutside(from, to);
  if (!to.startsWith('src/')) return `src imports nothing outside src, and ${to} is.`;
  if (isTest(to)) return `${to} is a test; only tests import tests.`;
  if (rootFiles.includes(from)) return rootFiles.includes(to) ? undefined : checkFront(to);
  return checkFolders(from, to);
}

/** Everything outside knows the code and its own folder; a few folders know more. */
function checkOutside(from: string, to: string): string | undefined {
  const top = isTest(from) ? 'test' : topOf(from);
  const allowed = ['src', top, ...(outsideImports[top] ?? [])];
  if (allowed.includes(topOf(to)) || !to.includes('/')) return undefined;
  return `${topOf(from)} may import from ${allowed.join(' and ')}, not from ${topOf(to)}.`;
}

function checkFolders(from: string, to: string): string | undefined {
  const [own, other] = [folderOf(from), folderOf(to)];
  if (own === undefined) return `Only ${rootFiles.join(' and ')} stand directly in src; ${from} belongs in a folder.`;
  if (own === other) return undefined;
  if (to === 'src/gateway.ts' && gatewayUsers.includes(own)) return undefined;
  if (other === undefined) return `Folders do not know the files that wire them: ${to} may not be imported.`;
  const allowed = foldersRightOf(own);
  if (allowed === undefined) return `The folder src/${own} has no place in the order of folders (rules.ts).`;
  if (!allowed.includes(other)) return `src/${own} may not import src/${other}: imports go ${folderOrder.join(' → ')}.`;
  return checkFront(to);
}

/** Other folders see only the front file of a folder, unless it is an open one. */
function checkFront(to: string): string | undefined {
  const folder = folderOf(to);
  if (folder === undefined) return `${to} wires the others; nothing imports it.`;
  if (openFolders.includes(folder)) return undefined;
  const fronts = [folder, ...innerFronts.filter((inner) => inner.startsWith(`${folder}/`))].map(
    (path) => `src/${path}/${posix.basename(path)}.ts`,
  );
  return fronts.includes(to) ? undefined : `${to} is inside src/${folder}; import its front file ${fronts[0]}.`;
}

function foldersRightOf(folder: string): readonly string[] | undefined {
  const place = folderOrder.indexOf(folder);
  return place === -1 ? undefined : folderOrder.slice(place + 1);
}

/** The folder under src, undefined for a file directly in src. */
function folderOf(path: string): string | undefined {
  const parts = path.split('/');
  return parts.length > 2 ? parts[1] : undefined;
}

function topOf(path: string): string {
  return path.split('/')[0] ?? '';
}
