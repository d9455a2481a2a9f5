/** The address of a tool, as people type it. */

/** The server in `SERVER:TOOL`; undefined where only a tool is named. */
export function serverOf(key: string): string | undefined {
  const colon = key.indexOf(':');
  return colon <= 0 ? undefined : key.slice(0, colon);
}
