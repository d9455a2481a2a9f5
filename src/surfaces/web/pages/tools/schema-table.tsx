/** A schema as a table that people can read. */

import { Empty } from '../../parts/basic.tsx';
import { visibleText } from '../../parts/texts.tsx';
import { rowsOfSchema } from './schema-rows.ts';

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
            <th>Required</th>
            <th class="extra">Default</th>
            <th class="extra">Allowed</th>
            <th>Description</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={`${at} ${row.name}`}>
              <td style={{ paddingLeft: `${0.7 + row.depth * 1.2}rem` }}>
                <code>{visibleText(row.name)}</code>
              </td>
              <td>{visibleText(row.type)}</td>
              <td>{row.isRequired ? 'yes' : ''}</td>
              <td class="extra">{row.default !== '' && <code>{visibleText(row.default)}</code>}</td>
              <td class="extra said">{visibleText(row.allowed)}</td>
              <td class="said">{visibleText(row.description)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
