/** Tests of editing one entry in texts of each format: by example, and over made-up files. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AgentText, jsoncTexts, tomlTexts, yamlListTexts, yamlTexts } from '../../test/kit/agent-texts.ts';
import { type EntryPlace, entriesOf, putBackEntry, setEntry, takeEntry } from './edit-entry.ts';
import { parseAgentFile } from './parse-file.ts';

const jsonc: EntryPlace = { file: 'mcp.json', format: 'jsonc', path: ['mcpServers'] };
const toml: EntryPlace = { file: 'config.toml', format: 'toml', path: ['mcp_servers'] };
const yaml: EntryPlace = { file: 'config.yaml', format: 'yaml', path: ['extensions'] };
const yamlList: EntryPlace = { file: 'config.yaml', format: 'yaml', path: ['mcpServers'], isList: true };

const numRuns = 40;

const entry = { command: 'toolcrib', args: ['stdio'], env: { A: '1' } };
const written: readonly (readonly [string, EntryPlace, fc.Arbitrary<AgentText>])[] = [
  ['JSON with comments', jsonc, jsoncTexts],
  ['TOML', toml, tomlTexts],
  ['YAML', yaml, yamlTexts],
  ['a YAML list', yamlList, yamlListTexts],
];

function parsed(text: string, { file, format }: EntryPlace): unknown {
  return structuredClone(parseAgentFile(file, Buffer.from(text.replace('\uFEFF', '')), format) ?? {});
}

for (const [title, place, texts] of written) {
  const ours = place.isList ? { name: 'toolcrib', ...entry } : entry;

  test(`[GET-20] an entry set and taken out leaves ${title} as it was`, () => {
    fc.assert(
      fc.property(texts, ({ text, names }) => {
        const set = setEntry(text, place, 'toolcrib', ours);
        assert.deepEqual(structuredClone(entriesOf(set, place).get('toolcrib')), ours);
        assert.equal(setEntry(set, place, 'toolcrib', ours), set);
        const taken = takeEntry(set, place, 'toolcrib', text);
        assert.deepEqual(parsed(taken?.text ?? '', place), parsed(text, place));
        if (names !== null && names.length > 0) assert.equal(taken?.text, text);
      }),
      { numRuns },
    );
  });

  test(`[GET-20] an entry taken out of ${title} and put back means the same`, () => {
    fc.assert(
      fc.property(texts, fc.nat(), ({ text, names }, at) => {
        const name = names?.[at % names.length];
        if (name === undefined) return;
        const taken = takeEntry(text, place, name);
        assert.ok(taken && !entriesOf(taken.text, place).has(name));
        const back = putBackEntry(taken.text, place, name, taken.source);
        const entries = (whole: string) => Object.fromEntries(entriesOf(whole, place));
        assert.deepEqual(entries(back), entries(text));
        assert.deepEqual(takeEntry(back, place, name)?.text, taken.text);
      }),
      { numRuns },
    );
  });
}

const small = { url: 'https://x.example' };
const ourLines = ['"toolcrib": {', '  "url": "https://x.example"', '}'];
const jsonLines = (indent: string) => ourLines.map((line) => indent + line).join('\n');

test('[GET-20] a member of JSON follows the style of the file', () => {
  const set = (text: string) => setEntry(text, jsonc, 'toolcrib', small);
  const alone = `{\n  "mcpServers": {\n${jsonLines('    ')}\n  }\n}`;
  assert.equal(set(''), `${alone}\n`);
  assert.equal(set('{}'), alone);
  assert.equal(set('{ "mcpServers": null }'), `{ "mcpServers": {\n${jsonLines('  ')}\n} }`);
  const before = '{\n\t"mcpServers": {\n\t\t"b": {} // last\n\t\t// end\n\t},\n}\n';
  const ours = '\t\t"toolcrib": {\n\t\t\t"url": "https://x.example"\n\t\t}\n';
  assert.equal(set(before), before.replace('{} // last\n', `{}, // last\n${ours}`));
  const trailing = '\uFEFF{\r\n  "mcpServers": {\r\n    "b": {}, /* b */\r\n  },\r\n}';
  const added = `${jsonLines('    ')},\n`.replaceAll('\n', '\r\n');
  assert.equal(set(trailing), trailing.replace('/* b */\r\n', `/* b */\r\n${added}`));
});

test('[GET-20] an entry that is there is replaced where it stands', () => {
  const other = { url: 'https://y.example' };
  for (const [, place] of written) {
    const [one, two] = place.isList
      ? [
          { name: 'toolcrib', ...small },
          { name: 'toolcrib', ...other },
        ]
      : [small, other];
    const first = setEntry('', place, 'toolcrib', one);
    const both = setEntry(first, place, 'zebra', place.isList ? { name: 'zebra', ...small } : small);
    assert.equal(setEntry(both, place, 'toolcrib', two), both.replace('x.example', 'y.example'));
  }
});

test('[GET-20] comments of others stay, and those inside an entry go and come back with it', () => {
  const text = '{ "mcpServers": {\n  // about a\n  "a": { "x": 1 }, // beside a\n  "b": { /* in b */ } } }';
  const a = takeEntry(text, jsonc, 'a');
  assert.equal(a?.text, '{ "mcpServers": {\n  // about a\n  // beside a\n  "b": { /* in b */ } } }');
  const b = takeEntry(text, jsonc, 'b');
  assert.equal(b?.source, '"b": { /* in b */ }');
  const table = '[mcp_servers.a] # one\n# two\nurl = "x" # three\n\n# four\n[b]\n';
  assert.deepEqual(takeEntry(table, toml, 'a'), {
    text: '\n# four\n[b]\n',
    source: '[mcp_servers.a] # one\n# two\nurl = "x" # three',
  });
  const inside = '[mcp_servers]\na.url = "x"\nb = { url = "y" }\n[c]\n';
  assert.deepEqual(takeEntry(inside, toml, 'b'), {
    text: '[mcp_servers]\na.url = "x"\n[c]\n',
    source: '[mcp_servers.b]\nurl = "y"',
  });
});

test('[GET-20] a comment beside the key of the entries in YAML outlives the last of them', () => {
  const text = 'extensions: # note\n  a:\n    url: https://x.example\nother: 1\n';
  const taken = takeEntry(text, yaml, 'a') ?? assert.fail();
  const ours = setEntry(taken.text, yaml, 'toolcrib', small);
  assert.equal(ours, text.replace('a:', 'toolcrib:'));
  const without = takeEntry(ours, yaml, 'toolcrib', text)?.text ?? '';
  assert.equal(putBackEntry(without, yaml, 'a', taken.source), text);
});

test('[GET-20] a text that cannot be edited safely is refused with its place', () => {
  const refused = (text: string, place: EntryPlace, reason: RegExp) =>
    assert.throws(() => setEntry(text, place, 'toolcrib', small), { code: 'CONFIG_INVALID', message: reason });
  refused('{', jsonc, /^mcp\.json:1:2: /);
  refused('{ "mcpServers": [] }', jsonc, /"mcpServers" must be an object/);
  refused('{ "mcpServers": {},\n "mcpServers": {} }', jsonc, /^mcp\.json:2:2: duplicate key/);
  refused('a = \n', toml, /^config\.toml:1:5: /);
  refused('mcp_servers = { a = { url = "x" } }\n', toml, /cannot change safely/);
  refused('a: [', yaml, /^config\.yaml:1:/);
  refused('extensions: { a: 1 }\n', yaml, /cannot change safely/);
  refused('mcpServers:\n  a: 1\n', yamlList, /"mcpServers" must be a list/);
});
