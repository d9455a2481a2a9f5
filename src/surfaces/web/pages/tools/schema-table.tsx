/** A schema as a table that people can read. */

import { rowsOfSchema } from '../../../wording/wording.ts';
import { Empty } from '../../parts/basic.tsx';
import { visibleText } from '../../parts/texts.tsx';

export function SchemaTable({ schema, empty }: { readonly schema: unknown; readonly empty: string }) {
  const rows = rowsOfSchema(schema);
  if (rows.length === 0) return <Empty title={empty} />;
  return (
    <div class="scroll schema">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Type</th>
            <th>Description</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={`${at} ${row.name}`} style={{ '--depth': row.depth }}>
              <td>
                <code>{visibleText(row.name)}</code>
              </td>
              <td>
                {visibleText(row.type)}
                {row.isRequired && <strong> required</strong>}
              </td>
              <td class="said">
                {visibleText(row.description)}
                {row.default !== '' && (
                  <small>
                    Default: <code>{visibleText(row.default)}</code>
                  </small>
                )}
                {row.allowed !== '' && <small>Allowed: {visibleText(row.allowed)}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
