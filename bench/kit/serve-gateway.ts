/** The gateway as a process of its own: `DATA CONFIG` are its arguments; prints URL and token, ends with its stdin. */

import { createLog } from '../../src/base/log.ts';
import { openGateway } from '../../src/gateway.ts';

const [dataDir = '', configPath = ''] = process.argv.slice(2);
const log = createLog({
  level: 'warn',
  format: 'line',
  write: (line) => void process.stderr.write(line),
  now: Date.now,
});
const gateway = await openGateway({
  dataDir,
  configPath,
  cwd: dataDir,
  env: process.env,
  log,
  listen: { host: '127.0.0.1', port: 0, isAuthOff: false },
});
console.info(JSON.stringify({ url: gateway.url, token: gateway.tokens.agent }));

process.stdin.resume().once('end', async () => {
  await gateway.close();
  process.exit();
});
