/** Requests as commands that somebody can paste into a shell. */

/** Against the API of the gateway; the token comes from the environment, so that it is not in the shell history. */
export function curlOf(gatewayUrl: string, toolKey: string, given: unknown): string {
  return [
    `curl -sS ${shellWord(`${gatewayUrl}/api/tools/call`)}`,
    `  -H "Authorization: Bearer $TOOLCRIB_TOKEN"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${shellWord(JSON.stringify({ toolKey, arguments: given }))}`,
  ].join(' \\\n');
}

/** Greets the gateway as an agent does: the shortest way to see that a token is let in. */
export function initializeByCurl(gatewayUrl: string, token: string): string {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1' } };
  return [
    `curl -sS ${shellWord(`${gatewayUrl}/mcp`)}`,
    `  -H ${shellWord(`Authorization: Bearer ${token}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -H 'Accept: application/json, text/event-stream'`,
    `  -d ${shellWord(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))}`,
  ].join(' \\\n');
}

/** `command`: how the program is called, ready for a shell. */
export function toolcribCallOf(command: string, toolKey: string, given: object): string {
  const words = ['call', toolKey, ...(Object.keys(given).length === 0 ? [] : [JSON.stringify(given)])];
  return `${command} ${words.map(shellWord).join(' ')}`;
}

/** One word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
