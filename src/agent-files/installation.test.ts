/** Tests of Toolcrib in a config file of an agent: the text before, with it, and after it is taken out again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AgentText, jsoncTexts, tomlTexts, yamlListTexts, yamlTexts } from '../../test/kit/agent-texts.ts';
import { type EntryPlace, entriesOf, setEntry } from './edit-entry.ts';
import { hashOfText, type Installation, installedText, restoredText } from './installation.ts';
import { leadsTo, ownEntry } from './own-entry.ts';

const places: readonly (readonly [EntryPlace, fc.Arbitrary<AgentText>])[] = [
  [{ file: 'mcp.json', format: 'jsonc', path: ['mcpServers'] }, jsoncTexts],
  [{ file: 'config.toml', format: 'toml', path: ['mcp_servers'] }, tomlTexts],
  [{ file: 'config.yaml', format: 'yaml', path: ['extensions'] }, yamlTexts],
  [{ file: 'config.yaml', format: 'yaml', path: ['mcpServers'], isList: true }, yamlListTexts],
];
const numRuns = 25;

function entryAt({ isList }: EntryPlace, name: string) {
  return { ...(isList && { name }), command: 'toolcrib', args: ['stdio'] };
}

function installed(base: string | null, place: EntryPlace, replaced: readonly string[]) {
  const text = installedText(base, place, entryAt(place, ownEntry), replaced);
  const shared = { agent: 'cursor', scope: 'user', place, replaced } as const;
  const entries = [{ token: 'cursor', leadsTo: leadsTo('cursor', entryAt(place, ownEntry)) }];
  const installation: Installation = { ...shared, entries, wrote: hashOfText(text), isNew: base === null };
  return { text, installation };
}

const shownEntries = (text: string, place: EntryPlace) => structuredClone(Object.fromEntries(entriesOf(text, place)));

for (const [place, texts] of places) {
  const title = `${place.format}${place.isList ? ' with a list' : ''}`;

  test(`[GET-22] a file in ${title} that nobody edited comes back byte for byte, also with servers moved out`, () => {
    fc.assert(
      fc.property(texts, fc.nat(), ({ text: base, names }, most) => {
        const moved = (names ?? []).slice(0, most % 5);
        const { text, installation } = installed(base, place, moved);
        const left = Object.keys(shownEntries(text, place));
        assert.deepEqual(new Set(left), new Set([...(names ?? []).filter((name) => !moved.includes(name)), ownEntry]));
        assert.equal(restoredText(text, installation, base).text, base);
        assert.equal(restoredText(base, installation, base).text, base, 'cut off before the file was written');
      }),
      { numRuns },
    );
  });

  test(`[GET-22] an edit of a file in ${title} stays, and so does what others wrote`, () => {
    fc.assert(
      fc.property(texts, fc.nat(), ({ text: base, names }, most) => {
        const moved = (names ?? []).slice(0, most % 5);
        const { text, installation } = installed(base, place, moved);
        const edited = setEntry(text, place, 'later', entryAt(place, 'later'));
        const restored = restoredText(edited, installation, base).text ?? '';
        const expected = { ...shownEntries(base, place), later: entryAt(place, 'later') };
        assert.deepEqual(shownEntries(restored, place), expected);
        if (moved.length > 0 || (names ?? []).length === 0) return;
        assert.equal(restored, setEntry(base, place, 'later', entryAt(place, 'later')), 'to the byte');
      }),
      { numRuns },
    );
  });
}

test('[GET-22] a file that was made for Toolcrib goes with it, unless something else is in it by then', () => {
  for (const [place] of places) {
    const { text, installation } = installed(null, place, []);
    assert.equal(restoredText(text, installation, null).text, null);
    assert.equal(restoredText(`${text}\n`, installation, null).text, null, 'other spaces');
    assert.equal(restoredText(null, installation, null).text, null, 'deleted by somebody');
    const edited = setEntry(text, place, 'later', entryAt(place, 'later'));
    assert.deepEqual(Object.keys(shownEntries(restoredText(edited, installation, null).text ?? '', place)), ['later']);
  }
});

test('[GET-22] servers that were moved come back into a file that is gone, but not without the backup', () => {
  const [place] = places[0] ?? assert.fail();
  const base = '{ "mcpServers": { "files": { "command": "files" } } }';
  const { text, installation } = installed(base, place, ['files']);
  assert.deepEqual(shownEntries(restoredText(null, installation, base).text ?? '', place), {
    files: { command: 'files' },
  });
  const missing = { code: 'CONFIG_INVALID', message: /backup of mcp\.json is gone, so "files" cannot be put back/ };
  assert.throws(() => restoredText(text, installation, null), missing);
});

test('[GET-22] an entry "toolcrib" of somebody else comes back, too', () => {
  const [place] = places[0] ?? assert.fail();
  const base = '{ "mcpServers": { "toolcrib": { "url": "https://theirs.example" } } }';
  const { text, installation } = installed(base, place, [ownEntry]);
  assert.deepEqual(shownEntries(text, place), { toolcrib: entryAt(place, ownEntry) });
  const edited = setEntry(text, place, 'later', {});
  const theirs = { toolcrib: { url: 'https://theirs.example' }, later: {} };
  assert.deepEqual(shownEntries(restoredText(edited, installation, base).text ?? '', place), theirs);
});

test('[GET-22] entries that somebody wrote since stay, under the name of ours or of one that was taken out', () => {
  const [place] = places[0] ?? assert.fail();
  const base = '{ "mcpServers": { "files": { "command": "old" }, "mail": { "command": "mail" } } }';
  const { text, installation } = installed(base, place, ['files', 'mail']);
  const changed = setEntry(text, place, 'files', { command: 'new' });
  const here = restoredText(changed, installation, base);
  assert.deepEqual(shownEntries(here.text ?? '', place), { files: { command: 'new' }, mail: { command: 'mail' } });
  assert.deepEqual([here.putBack, here.left], [['mail'], ['files']]);
  const elsewhere = { url: 'https://team.example', headers: { Authorization: 'Bearer tc_theirs' } };
  const led = restoredText(setEntry(text, place, ownEntry, elsewhere), installation, base);
  assert.deepEqual(shownEntries(led.text ?? '', place)[ownEntry], elsewhere);
  assert.deepEqual([led.putBack, led.left], [['files', 'mail'], [ownEntry]]);
  const more = restoredText(setEntry(text, place, ownEntry, { ...entryAt(place, ownEntry), x: 1 }), installation, base);
  assert.deepEqual(more.left, [], 'it still leads to us');
  const again = restoredText(setEntry(here.text ?? '', place, 'files', { command: 'old' }), installation, base);
  assert.deepEqual([again.putBack, again.left], [[], []], 'as it was before');
});
