/**
 * The cost of the gateway in the context of a real agent, offline: Claude Code runs one errand on each surface, with tools
 * loaded at the start and with tools that it defers, while a stand-in plays its model and keeps the requests that it is sent.
 * Counted are the tokens (o200k) of what is ours in them. The servers are those of a file, one of them named `everything`;
 * else that one and the demo servers.
 *
 *   npm run real:tokens [-- --prefix DIR] [--servers FILE] [--json]
 */

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { stepsFor } from './claude/check-calls.ts';
import { Claude, claudePackage } from './claude/claude.ts';
import { Model } from './claude/model.ts';
import { entryFor, type Stage, surfaces } from './claude/stage.ts';
import { Checks } from './kit/checks.ts';
import { expectText } from './kit/expect.ts';
import { startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { providePackages } from './kit/packages.ts';
import { openScratch } from './kit/scratch.ts';

const everything = '@modelcontextprotocol/server-everything';

const { values } = parseArgs({
  options: { prefix: { type: 'string' }, servers: { type: 'string' }, json: { type: 'boolean' } },
});
const packages = await providePackages({ ...claudePackage, [everything]: '2026.8.31' }, values.prefix);
await using scratch = await openScratch();
await using model = await Model.open();
const claude = await Claude.open(packages, scratch, model);
await using gateway = await startGatewayProcess({
  dataDir: scratch.dataDir,
  env: scratch.env,
  servers: await readServers(values.servers),
  hasDemo: values.servers === undefined,
});
const { rows } = await whenListed(gateway);
const stage: Stage = { checks: new Checks(), claude, gateway };
const figures: Record<string, string | number>[] = [];
for (const surface of surfaces) {
  for (const defersTools of [false, true]) figures.push(await measure(surface, defersTools));
}
const servers = rows.map(({ name, toolCount }) => ({ name, toolCount }));
if (values.json) console.info(JSON.stringify({ servers, figures }));
else {
  const tools = servers.reduce((sum, { toolCount }) => sum + toolCount, 0);
  console.info(
    `Tokens (o200k) of what is ours in the requests of Claude Code, ${tools} tools of ${servers.length} servers`,
  );
  console.table(figures);
}

async function readServers(file: string | undefined): Promise<Record<string, unknown>> {
  if (file !== undefined) return JSON.parse(await readFile(file, 'utf8')).mcpServers;
  return { everything: { command: process.execPath, args: [await packages.script(everything)] } };
}

async function measure(surface: (typeof surfaces)[number], defersTools: boolean) {
  const steps = stepsFor(surface, 'marmalade');
  const asked = await claude.ask({ server: entryFor(stage, 'HTTP', surface), defersTools, steps });
  expectText(asked.results.at(-1)?.text, 'marmalade');
  const { first, last } = asked.cost;
  const written = steps.reduce((sum, { input }) => sum + countTokens(JSON.stringify(input)), 0);
  const read = asked.results.reduce((sum, { text }) => sum + countTokens(text), 0);
  return {
    surface,
    tools: defersTools ? 'deferred' : 'loaded',
    definitions: first.definitions,
    instructions: first.instructions,
    names: first.names,
    start: first.definitions + first.instructions + first.names,
    'definitions at the end': last.definitions,
    'requests and results': written + read,
    'whole errand': last.definitions + last.instructions + last.names + written + read,
    turns: asked.turns,
    'first request': first.whole,
  };
}
