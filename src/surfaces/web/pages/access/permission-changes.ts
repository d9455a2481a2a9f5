/** From the rows of a form to the changes of a project's permissions. */

type ToolPermission = 'allow' | 'ask' | 'deny';

/** Tools as `SERVER:TOOL`, and what is permitted. */
export type PermissionRow = readonly [pattern: string, permission: ToolPermission];

/** Those that are gone from the rows are null, which forgets them. Rows without a name count for nothing. */
export function permissionChanges(
  before: Readonly<Record<string, ToolPermission>>,
  rows: readonly PermissionRow[],
): Record<string, ToolPermission | null> {
  const wanted = rows.map(([pattern, permission]) => [pattern.trim(), permission] as const);
  return {
    ...Object.fromEntries(Object.keys(before).map((pattern) => [pattern, null])),
    ...Object.fromEntries(wanted.filter(([pattern]) => pattern !== '')),
  };
}
