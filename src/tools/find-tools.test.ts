/** Tests of what is said where nothing fits: each reader is sent only to what it has. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Findings, remarksOn, type SearchReader } from './find-tools.ts';

const nothing: Findings = {
  queries: ['tea'],
  all: [],
  fitting: [],
  leftOut: 0,
  unmet: ['tea'],
  isSure: false,
  hasServers: true,
  mode: 'hybrid',
  notice: null,
};

test('where nothing fits, each reader is sent to an overview that it has', () => {
  const sent: Readonly<Record<SearchReader, RegExp>> = {
    search: /^tool_capabilities /,
    full: /^tool_capabilities /,
    code: /^In call_tool_chain, /,
    direct: /^Your own list of tools /,
    program: /^Object\.keys\(servers\) .* types\("SERVER"\)/,
    hand: /toolcrib tools$/,
    owner: /^list_tools_meta /,
  };
  for (const [reader, hint] of Object.entries(sent)) {
    const remarks = remarksOn(nothing, reader as SearchReader);
    assert.equal(remarks.code, 'NOTHING_FITS');
    assert.match(String(remarks.hint), hint, reader);
    const others = /tool_|list_tools/.test(String(remarks.hint));
    assert.equal(others, !['direct', 'program', 'hand'].includes(reader), reader);
  }
});

test('where there is no server, that is said instead, with who can add one', () => {
  const none = { ...nothing, hasServers: false };
  assert.match(String(remarksOn(none, 'hand').notice), /^There is no server here yet/);
  assert.match(String(remarksOn(none, 'hand').hint), /toolcrib add NAME .* toolcrib start --demo$/);
  assert.match(String(remarksOn(none, 'search').hint), /^The owner of this gateway adds one/);
});
