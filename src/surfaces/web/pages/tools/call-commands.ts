/** A call as commands that somebody can paste into a shell. */

/** Against the API of the gateway; the token comes from the environment, so that it is not in the shell history. */
export function curlOf(origin: string, toolKey: string, given: unknown): string {
  return [
    `curl -sS ${shellWord(`${origin}/api/tools/call`)}`,
    `  -H "Authorization: Bearer $TOOLCRIB_TOKEN"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${shellWord(JSON.stringify({ toolKey, arguments: given }))}`,
  ].join(' \\\n');
}

export function toolcribCallOf(toolKey: string, given: object): string {
  const words = ['toolcrib', 'call', toolKey, ...(Object.keys(given).length === 0 ? [] : [JSON.stringify(given)])];
  return words.map(shellWord).join(' ');
}

/** One word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
