/** Runs the official conformance suite as a child process and reads the results it leaves on disk. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** From harmless to fatal: an id that was reported more than once keeps its worst status. */
const STATUSES = ['SKIPPED', 'INFO', 'SUCCESS', 'WARNING', 'FAILURE'] as const;
export type Status = (typeof STATUSES)[number];

const checkSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(STATUSES),
  errorMessage: z.string().optional(),
});
export type Check = z.infer<typeof checkSchema>;

const suiteFolder = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));

export type SuiteExit = { readonly exitCode: number; readonly output: string };

/** Runs one command of the suite to its end. A failing check is an exit code, never a rejection. */
export async function runSuiteCommand(args: readonly string[], signal?: AbortSignal): Promise<SuiteExit> {
  const child = spawn(process.execPath, [join(suiteFolder, 'dist', 'index.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: codeFolder() },
    ...(signal && { signal }),
  });
  const exit = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [exitCode, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { exitCode, output: stdout + stderr };
}

let code: string | undefined;

/** Where the programs of one leg leave their compiled code for each other: there are many of them, and each is short. */
function codeFolder(): string {
  if (code !== undefined) return code;
  const folder = mkdtempSync(join(tmpdir(), 'conformance-code-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  code = folder;
  return folder;
}

/** A new, empty folder for one run, so that the results of an earlier one are never read along with it. */
export type RunFolder = AsyncDisposable & { readonly path: string };

/** Makes the folder inside `outDir`, where it stays; without `outDir` it is temporary and goes when disposed of. */
export async function openRunFolder(outDir: string | undefined, prefix: string): Promise<RunFolder> {
  if (outDir !== undefined) await mkdir(outDir, { recursive: true });
  const path = await mkdtemp(join(outDir ?? tmpdir(), `${prefix}-`));
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      if (outDir === undefined) await rm(path, { recursive: true });
    },
  };
}

/**
 * The checks of every scenario in a run's folder, by scenario name. The suite names each scenario's folder
 * `<prefix><scenario>-<time>`; a scenario with a slash in its name has a folder within a folder.
 */
export async function readChecks(folder: string, prefix: string): Promise<Map<string, Check[]>> {
  const checks = new Map<string, Check[]>();
  for (const name of await readdir(folder, { recursive: true })) {
    const scenario = /^(.*)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name)?.[1];
    if (scenario === undefined || !scenario.startsWith(prefix)) continue;
    const source = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => '[]'); // died half-way
    checks.set(scenario.slice(prefix.length), z.array(checkSchema).parse(JSON.parse(source)));
  }
  return checks;
}

export type ScenarioLists = { readonly required: ReadonlySet<string>; readonly unscored: ReadonlySet<string> };

/** Which scenarios a revision requires of a role and which it only reports, from the frozen lists in the suite. */
export async function scenariosOf(revision: Revision, role: 'server' | 'client'): Promise<ScenarioLists> {
  const source = await readFile(join(suiteFolder, 'requirements', `${revision}.yaml`), 'utf8');
  const list = new RegExp(`^${role}:\\n((?: {2}- .+\\n)+)`, 'm').exec(source)?.[1] ?? '';
  const unscored = source.matchAll(new RegExp(`^ {2}- scenario: (.+)\\n {4}leg: ${role}$`, 'gm'));
  const required = list.matchAll(/^ {2}- (.+)$/gm);
  return { required: new Set(firstGroups(required)), unscored: new Set(firstGroups(unscored)) };
}

function firstGroups(matches: Iterable<RegExpExecArray>): string[] {
  return Array.from(matches, (match) => match[1] ?? '');
}

/** Negative when `a` is the less severe of the two. */
export function compareSeverity(a: Status, b: Status): number {
  return STATUSES.indexOf(a) - STATUSES.indexOf(b);
}
