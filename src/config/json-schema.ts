/** The JSON Schema of the config file, for editors. */

import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { fileSchema } from './schema.ts';
import { serverSchema } from './server-schema.ts';

/** JSON Schema draft 2020-12 of what may be written; it is generated from the schema that checks the file. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(fileSchema(serverSchema), { target: 'draft-2020-12', io: 'input' });
  const described = {
    ...schema,
    title: 'Toolcrib configuration',
    description: `Servers and settings of a Toolcrib gateway. Strings may refer to \${ENV_NAME} and \${ENV_NAME:-default}.`,
  };
  // Through text, because zod attaches hidden members that are not part of the schema.
  return JSON.parse(JSON.stringify(described));
}
