/**
 * Counts the files and functions of `src` that one warm request runs: a `tool_execute` and a `tool_discovery`, each after the
 * same request has been made before. `npm run bench:path [--files]` prints them; fewer are easier to learn.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLog } from '../src/base/log.ts';
import { openGateway } from '../src/gateway.ts';
import { Agent, whenListed } from './tokens-agent.ts';

const requests: Readonly<Record<string, readonly [tool: string, input: Record<string, unknown>]>> = {
  call: ['tool_execute', { toolKey: 'one:echo', arguments: { text: 'hello' } }],
  search: ['tool_discovery', { query: ['say something back'] }],
};

const { values } = parseArgs({ options: { files: { type: 'boolean' } } });
const source = new URL('../src/', import.meta.url).href;

const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-path-'));
const gateway = await openGateway({
  dataDir,
  cwd: dataDir,
  env: process.env,
  log: createLog({ level: 'error', format: 'line', write: (line) => console.error(line), now: Date.now }),
  listen: { host: '127.0.0.1', port: 0, isAuthOff: false },
  extraServers: { one: { command: process.execPath, args: [join(import.meta.dirname, 'servers/stdio-echo.ts')] } },
});
await whenListed(gateway);
const agent = new Agent(gateway, 'search');
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (const [name, [tool, input]] of Object.entries(requests)) {
  await agent.call(tool, input);
  await agent.call(tool, input);
  // Counting begins again with every look.
  await session.post('Profiler.takePreciseCoverage');
  await agent.call(tool, input);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result
    .filter(({ url }) => url.startsWith(source))
    .map(({ url, functions }) => ({
      file: url.slice(source.length),
      functions: functions.filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
        .length,
    }))
    .filter(({ functions }) => functions > 0);
  const folders = new Set(ran.map(({ file }) => file.split('/')[0]));
  const sum = ran.reduce((total, { functions }) => total + functions, 0);
  console.log(`${name}: ${ran.length} files of ${folders.size} folders, ${sum} functions with a name`);
  if (values.files) for (const { file, functions } of ran) console.log(`  ${file} ${functions}`);
}
session.disconnect();
await gateway.close();
await rm(dataDir, { recursive: true, force: true });
