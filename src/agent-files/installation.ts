/** Toolcrib in one config file of an agent: the text with it, and the text without it again. */

import { createHash } from 'node:crypto';
import { GatewayError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { AgentId, AgentScope } from './agents.ts';
import { type EntryPlace, entriesOf, isEmptyText, isSame, putBackEntry, setEntry, takeEntry } from './edit-entry.ts';
import { leadsTo, ownEntry } from './own-entry.ts';

/** Remembered of one file; the text that it had before is in the backup. */
export interface Installation {
  readonly agent: AgentId;
  readonly scope: AgentScope;
  readonly place: EntryPlace;
  /** Entries of ours that may be in the file, the newest last: more than one only while another takes its place. */
  readonly entries: readonly WrittenEntry[];
  /** The hash of the text that was written; null: it was about to be. */
  readonly wrote: string | null;
  /** There was no such file before. */
  readonly isNew: boolean;
  /** Names of entries that were taken out for ours, to be put back. */
  readonly replaced: readonly string[];
}

export interface WrittenEntry {
  /** The name of the token that was made for it; null: it holds none. */
  readonly token: string | null;
  /** As `leadsTo` gives it. */
  readonly leadsTo: string;
}

export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** `base`: null where there is no file yet. */
export function installedText(
  base: string | null,
  place: EntryPlace,
  entry: JsonObject,
  replaced: readonly string[],
): string {
  let text = base ?? '';
  for (const name of replaced) if (name !== ownEntry) text = takeEntry(text, place, name)?.text ?? text;
  return setEntry(text, place, ownEntry, entry);
}

export interface RestoredText {
  /** null: there should be no file. */
  readonly text: string | null;
  readonly putBack: readonly string[];
  /** Names of ours or of entries that were taken out, under which somebody wrote another entry since: that one stays. */
  readonly left: readonly string[];
}

/**
 * The text as it was before, byte for byte, if the file is as we left it; else the present one without our entry and with
 * those that were taken out for it.
 */
export function restoredText(current: string | null, installation: Installation, backup: string | null): RestoredText {
  const { agent, place, entries, wrote, isNew, replaced } = installation;
  if (current === backup) return { text: backup, putBack: [], left: [] };
  const isAsLeft = current !== null && hashOfText(current) === wrote;
  if (isAsLeft && (isNew || backup !== null)) return { text: backup, putBack: replaced, left: [] };
  let text = current ?? '';
  const way = leadsTo(agent, entriesOf(text, place).get(ownEntry));
  if (entries.some((entry) => entry.leadsTo === way))
    text = takeEntry(text, place, ownEntry, backup ?? (isNew ? '' : text))?.text ?? text;
  const older = entriesOf(backup ?? '', place);
  const now = entriesOf(text, place);
  const left = [...new Set([...replaced, ownEntry])].filter(
    (name) => now.has(name) && !isSame(now.get(name), older.get(name)),
  );
  const putBack = replaced.filter((name) => !now.has(name));
  for (const name of putBack) {
    const old = backup === null ? undefined : takeEntry(backup, place, name);
    if (old === undefined) throw noBackup(installation, name);
    text = putBackEntry(text, place, name, old.source);
  }
  return { text: (isNew || current === null) && isEmptyText(text, place) ? null : text, putBack, left };
}

function noBackup({ place }: Installation, name: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', `The backup of ${place.file} is gone, so "${name}" cannot be put back.`, {
    hint: `Write an entry "${name}" into the file by hand, then try again.`,
  });
}
