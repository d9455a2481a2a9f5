/** Trouble for a name that no tool has here: with the nearest that there are, as the same agent would call them. */

import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { didYouMean, shownName } from './find-server.ts';

/** `where` ends the sentence, such as ` on server "x"`. */
export function unknownTool(name: string, names: Iterable<string>, where = ''): GatewayError {
  const near = nearest(name, names);
  return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${shownName(name)}"${where}.`, {
    hint: didYouMean(near),
    data: { nearest: near },
  });
}
