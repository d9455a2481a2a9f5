/**
 * Node's HTTP modules, without a cost that nothing here needs: importing `node:http` as an ES module evaluates all that it
 * exports, WebSocket included, which loads a second HTTP client (25 ms and 6 MB at every start).
 */

export const http = process.getBuiltinModule('node:http');

/** Loaded when a secure address is first used. */
export function loadHttps(): typeof import('node:https') {
  return process.getBuiltinModule('node:https');
}
