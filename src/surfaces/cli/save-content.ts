/** Saves the images and other binary content of a result. */

import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { GatewayError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { plural } from '../../base/plural.ts';
import { describeBytes, splitAdvice } from './render-result.ts';

export interface BinaryContent {
  /** In base64. */
  readonly data: string;
  readonly mimeType: unknown;
}

/** The images, sounds and binary resources of a result, in their order. */
export function binaryContentOf(result: Readonly<Record<string, unknown>>): BinaryContent[] {
  return splitAdvice(result).own.flatMap((block) => {
    if (!isObject(block)) return [];
    const holder = isObject(block.resource) ? block.resource : block;
    const data = holder === block ? block.data : holder.blob;
    return typeof data === 'string' ? [{ data, mimeType: holder.mimeType }] : [];
  });
}

/** A call is not made for a file that cannot be written. Throws USAGE. */
export async function checkSavable(file: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file);
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) throw new GatewayError('USAGE', `"${file}" is a folder.`, { hint: 'Name a file: --save FILE' });
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    const folder = dirname(path);
    const why = systemCodeOf(error) === 'ENOENT' ? 'does not exist' : 'cannot be written';
    throw new GatewayError('USAGE', `The folder ${folder} ${why}.`, {
      hint: 'Name a file in a folder that you can write to: --save FILE',
      cause: error,
    });
  });
}

/** Files that were written, in words; and why others were not, which is no reason to lose the answer. */
export interface SavedContent {
  readonly remark: string;
  readonly trouble?: GatewayError;
}

/** Writes all of it, the second under `name-2.png` and so on. */
export async function saveContent(
  contents: readonly BinaryContent[],
  file: string,
  cwd: string,
): Promise<SavedContent> {
  if (contents.length === 0) {
    const message = 'Nothing was saved: the answer holds no image or other binary content.';
    return { remark: '', trouble: new GatewayError('TOOL_FAILED', message, { hint: 'To keep a text: > FILE' }) };
  }
  const { dir, name, ext } = parse(file);
  const lines: string[] = [];
  for (const [at, { data, mimeType }] of contents.entries()) {
    const own = at === 0 ? file : join(dir, `${name}-${at + 1}${ext}`);
    try {
      await writeFile(resolve(cwd, own), Buffer.from(data, 'base64'));
    } catch (error) {
      const message = `"${own}" cannot be written: ${systemCodeOf(error) ?? messageOf(error)}.`;
      return { remark: lines.join('\n'), trouble: new GatewayError('TOOL_FAILED', message, { cause: error }) };
    }
    lines.push(`Saved to ${own} (${describeBytes(mimeType, data)}).`);
  }
  return { remark: lines.join('\n') };
}

/** The remark on content that a terminal cannot show. Empty where there is none. */
export function remarkUnsaved(contents: readonly BinaryContent[]): string {
  const [first] = contents;
  if (first === undefined) return '';
  const which = contents.length === 1 ? describeBytes(first.mimeType, first.data) : plural(contents.length, 'file');
  return `To save the binary content (${which}), add --save FILE.`;
}
