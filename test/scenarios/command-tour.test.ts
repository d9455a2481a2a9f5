/** Every command by a list: plain where it is piped, without colours where nobody wants them, and JSON as it is described. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { isOffered } from '../../src/surfaces/cli/command.ts';
import { commands } from '../../src/surfaces/cli/commands.ts';
import { notOnTour, tourCommands, toured } from '../kit/command-tour.ts';
import { differences, readShape, type Shape, shapeOf, writeShape } from '../kit/json-shape.ts';

const colour = /\u001b\[\d*m/;
const symbol = /[✓✗⠋█░]/;

test('every command is on the tour, or has a reason not to be', () => {
  const missing = commands
    .filter(isOffered)
    .flatMap(({ name }) => (toured.includes(name) || notOnTour.has(name) ? [] : [name]));
  assert.deepEqual(missing, []);
});

test('[GET-63] piped output has no colours and no symbols', async () => {
  for await (const { name, run } of tourCommands([])) {
    if (name === 'completions') continue;
    assert.doesNotMatch(run.stdout + run.stderr, colour, name);
    assert.doesNotMatch(run.stdout + run.stderr, symbol, name);
  }
});

test('[GET-63] a terminal gets colours, and with NO_COLOR none', async () => {
  const coloured = new Set<string>();
  for await (const { name, run } of tourCommands([], { isTerminal: true }))
    if (colour.test(run.stdout)) coloured.add(name);
  for (const name of ['list', 'tools', 'status', 'doctor', 'search', 'help', 'add', 'metrics'])
    assert.ok(coloured.has(name), `${name} has colours; with them are ${[...coloured].join(', ')}`);
  for await (const { name, run } of tourCommands([], { isTerminal: true, env: { NO_COLOR: '1' } }))
    assert.doesNotMatch(run.stdout + run.stderr, colour, name);
});

const page = new URL('../../docs/reference/json.md', import.meta.url);
const intro = `# JSON of the commands

This page is generated from what the commands print with \`--json\`. A path names a member: \`[]\` stands for each item of a list, \`?\` for a member
that not every object has, \`(all)\` for the whole value. A type \`null\` alone means that nothing was there when the page was made; the member can
have a value. Members of schemas, settings and results of tools are not listed. New versions may add members; they do not remove or rename one
without a line in the changelog.

Errors have one shape for all commands: see [exit codes](cli.md#exit-codes).
`;
/** Each line of the output is a value of its own. */
const inLines = new Set(['audit']);
/** The JSON Schema of the config is a file of its own, and each event of the log has members of its own. */
const notDescribed = new Set(['config schema', 'logs']);

test('[GET-69] JSON has the shapes that the reference describes (TOOLCRIB_UPDATE=1 writes it)', async () => {
  const seen = new Map<string, Shape>();
  for await (const { name, run } of tourCommands(['--json'])) {
    if (run.stdout === '' || notDescribed.has(name)) continue;
    const values = inLines.has(name)
      ? run.stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [run.json()];
    seen.set(name, shapeOf(values));
  }
  if (process.env.TOOLCRIB_UPDATE === '1') await writeFile(page, writePage(seen));
  const described = readPage(await readFile(page, 'utf8'));
  assert.deepEqual([...described.keys()], [...seen.keys()]);
  for (const [name, shape] of seen) assert.deepEqual(differences(described.get(name) ?? new Map(), shape), [], name);
});

function writePage(shapes: ReadonlyMap<string, Shape>): string {
  const sections = [...shapes].map(([name, shape]) => {
    const note = inLines.has(name) ? 'One object a line.\n\n' : '';
    return `## toolcrib ${name}\n\n${note}\`\`\`text\n${writeShape(shape)}\n\`\`\`\n`;
  });
  return [intro, ...sections].join('\n');
}

function readPage(text: string): Map<string, Shape> {
  const blocks = text.matchAll(/^## toolcrib (.*)\n[^`]*```text\n([^`]*)\n```$/gm);
  return new Map([...blocks].map(([, name = '', shape = '']) => [name, readShape(shape)]));
}
