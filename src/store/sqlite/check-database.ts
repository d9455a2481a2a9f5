/** Looks at a database file before it is used, without changing it: a file that cannot be trusted is refused with its name and reason. */

import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, systemCodeOf } from '../../base/errors.ts';
import { migrations } from '../records.ts';
import { brokenStore, sqliteCodeOf } from './sqlite-errors.ts';

/** "TCRB" in SQLite's header: says that a database is Toolcrib's. */
export const applicationId = 0x54435242;

/** The table that holds the names of the steps that were done. */
export const migrationTable = 'migration';

/** SQLite's code for "no such table". */
const genericCode = 1;
const headerLength = 100;
const magic = 'SQLite format 3\0';

/** Where SQLite's file format puts what is needed here; all numbers are big-endian. */
const at = { pageSize: 16, changeCounter: 24, pageCount: 28, applicationId: 68, pageCountValidFor: 92 } as const;

interface CheckedDatabase {
  /** With its log, which a check reads too. */
  readonly sizeBytes: number;
  /** True when this version knows steps that the database has not seen. */
  readonly isBehind: boolean;
}

/** Undefined when there is no file yet. Throws STORE_BROKEN, or what the system or SQLite said. */
export async function checkDatabase(file: string): Promise<CheckedDatabase | undefined> {
  // The log first: another process that makes the store right now makes the file before the log.
  const isLogLeft = ((await sizeOf(`${file}-wal`)) ?? 0) > 0;
  if ((await sizeOf(file)) === undefined) {
    if (!isLogLeft) return undefined;
    // SQLite would replay this log into whatever file is made next.
    throw brokenStore(file, `the file is missing, but its log ${file}-wal is there`);
  }
  await checkAccess(file);
  // In this order, because another process may be moving its log into the file: once the log is empty, the file has grown.
  const header = await readHeader(file);
  const walBytes = (await sizeOf(`${file}-wal`)) ?? 0;
  const sizeBytes = (await sizeOf(file)) ?? 0;
  checkHeader(file, header, sizeBytes, walBytes);
  return { sizeBytes: sizeBytes + walBytes, isBehind: checkMigrations(file) };
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw brokenStore(file, `${file} is not a file`);
    return found.size;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function checkAccess(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK | constants.W_OK);
    await access(dirname(file), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw brokenStore(file, `Toolcrib may not read and write it (${messageOf(error)})`, error);
  }
}

async function readHeader(file: string): Promise<Buffer> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerLength), 0, headerLength, 0);
  return buffer.subarray(0, bytesRead);
}

function checkHeader(file: string, header: Buffer, sizeBytes: number, walBytes: number): void {
  if (sizeBytes === 0) throw brokenStore(file, 'the file is empty, so its content was lost');
  if (header.length < headerLength || header.toString('latin1', 0, magic.length) !== magic) {
    throw brokenStore(file, 'it is not an SQLite database, or its first bytes were overwritten');
  }
  if (header.readUInt32BE(at.applicationId) !== applicationId) {
    throw brokenStore(file, 'it is a database, but not one that Toolcrib made');
  }
  const pageBytes = header.readUInt16BE(at.pageSize) === 1 ? 65_536 : header.readUInt16BE(at.pageSize);
  const isCountValid = header.readUInt32BE(at.changeCounter) === header.readUInt32BE(at.pageCountValidFor);
  const wantedBytes = header.readUInt32BE(at.pageCount) * pageBytes;
  // With a log beside it the file may rightly be shorter: the rest is in the log.
  if (walBytes === 0 && isCountValid && sizeBytes < wantedBytes) {
    throw brokenStore(file, `it was cut off: it has ${sizeBytes} of ${wantedBytes} bytes`);
  }
}

function checkMigrations(file: string): boolean {
  const done = readMigrations(file);
  const unknown = done.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) {
    throw brokenStore(file, `a newer version of Toolcrib wrote it (${unknown.join(', ')}); start that version`);
  }
  return done.length < Object.keys(migrations).length;
}

function readMigrations(file: string): string[] {
  try {
    using connection = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    return connection
      .prepare(`select name from ${migrationTable}`)
      .all()
      .map((row) => String(row.name));
  } catch (error) {
    if (sqliteCodeOf(error) !== genericCode) throw error;
    throw brokenStore(file, `its tables are missing (${messageOf(error)})`, error);
  }
}
