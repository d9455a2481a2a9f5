/** Every house rule is able to fail: each check gets a bad example and must say so, and a good one and must stay silent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDocumentPaths } from './document-paths.ts';
import { checkExportedNames } from './exported-names.ts';
import { checkArchitecture, checkLength, checkName, checkOpening } from './file-shape.ts';
import { type Finding, printed } from './finding.ts';
import { checkImports } from './imports.ts';
import { maskSource } from './mask-source.ts';
import { checkRequirements } from './requirement-ids.ts';
import { checkWording } from './wording.ts';

/** Joins what must not stand in this file in one piece, because this file is checked too. */
const glued = (...parts: string[]) => parts.join('');
const fails = (findings: readonly Finding[], reason: RegExp, line = 1) => {
  assert.equal(findings.length, 1, printed(findings) || 'no finding');
  assert.match(findings[0]?.reason ?? '', reason);
  assert.equal(findings[0]?.line, line);
};
const passes = (findings: readonly Finding[]) => assert.equal(printed(findings), '');
const imports = (path: string, specifier: string) =>
  checkImports({ path, text: `\nimport { x } from '${specifier}';` });
const words = (path: string, text: string) => checkWording({ path, text });

test('a finding is printed with file and line', () => {
  assert.equal(printed([{ path: 'src/a.ts', line: 3, reason: 'No.' }]), 'src/a.ts:3  No.');
});

test('imports go to the right, and through front files', () => {
  fails(imports('src/store/rows.ts', '../caller/caller.ts'), /may not import src\/caller/, 2);
  fails(imports('src/endpoint/endpoint.ts', '../catalog/snapshot.ts'), /front file src\/catalog\/catalog\.ts/, 2);
  fails(imports('src/base/log.ts', '../protocol/sse.ts'), /may not import/, 2);
  fails(imports('src/novelty/novelty.ts', '../base/log.ts'), /no place in the order/, 2);
  passes(imports('src/endpoint/endpoint.ts', '../catalog/catalog.ts'));
  passes(imports('src/endpoint/endpoint.ts', './meta/anything.ts'));
  passes(imports('src/endpoint/endpoint.ts', '../base/any-file.ts'));
  passes(imports('src/endpoint/endpoint.ts', '../protocol/any-file.ts'));
});

test('the files directly in src see front files only, and nobody sees them', () => {
  passes(imports('src/gateway.ts', './store/store.ts'));
  passes(imports('src/main.ts', './surfaces/cli/cli.ts'));
  passes(imports('src/main.ts', './gateway.ts'));
  fails(imports('src/gateway.ts', './store/rows.ts'), /front file/, 2);
  fails(imports('src/door/door.ts', '../gateway.ts'), /wire them/, 2);
  fails(imports('src/stray.ts', './base/log.ts'), /belongs in a folder/, 2);
});

test('the demo knows only the vocabulary', () => {
  passes(imports('src/demo/notes.ts', '../protocol/sse.ts'));
  fails(imports('src/demo/notes.ts', '../config/config.ts'), /may not import src\/config/, 2);
  passes(imports('src/surfaces/cli/start.ts', '../../demo/demo.ts'));
  fails(imports('src/surfaces/cli/start.ts', '../../demo/notes.ts'), /front file/, 2);
});

test('tests see code and tests; code sees neither tests nor benchmarks', () => {
  passes(imports('src/store/rows.test.ts', '../caller/inside.ts'));
  passes(imports('test/scenario/call.test.ts', '../servers/launch.ts'));
  passes(imports('bench/search.ts', '../src/search/search.ts'));
  fails(imports('test/scenario/call.test.ts', '../../bench/search.ts'), /not from bench/, 2);
  fails(imports('bench/search.ts', '../test/servers/launch.ts'), /not from test/, 2);
  fails(imports('src/store/rows.ts', './rows.test.ts'), /only tests import tests/, 2);
  fails(imports('src/store/rows.ts', '../../test/kit/clock.ts'), /nothing outside src/, 2);
});

test('every way of importing counts, and text that only looks like one does not', () => {
  const path = 'src/base/log.ts';
  const ways = [
    "import type { X } from '../store/store.ts';",
    "export * from '../store/store.ts';",
    "import '../store/store.ts';",
  ];
  ways.push(
    "const x = await import('../store/store.ts');",
    "type X = import('../store/store.ts').X;",
    "import {\n x,\n} from '../store/store.ts';".replace(/\n/g, ' '),
  );
  for (const text of ways) fails(checkImports({ path, text }), /may not import src\/store/);
  fails(checkImports({ path, text: 'await import(name);' }), /computed/);
  fails(checkImports({ path, text: 'await import(`../store/$' + '{name}.ts`);' }), /computed/);
  passes(
    checkImports({
      path,
      text: '// import "../store/store.ts"\nconst x = "import \'../store/store.ts\'"; Array.from("ab");',
    }),
  );
});

test('modules stay where they belong', () => {
  fails(imports('src/door/door.ts', 'node:child_process'), /started by downstream/, 2);
  fails(imports('src/door/door.ts', 'undici'), /Only downstream/, 2);
  fails(imports('src/downstream/link.ts', '@modelcontextprotocol/sdk/client'), /for tests/, 2);
  fails(imports('src/catalog/catalog.ts', 'kysely'), /in the store/, 2);
  fails(imports('src/catalog/catalog.ts', 'node:sqlite'), /in the store/, 2);
  fails(imports('src/surfaces/web/web.ts', 'node:fs'), /browser/, 2);
  passes(imports('src/downstream/server-process.ts', 'node:child_process'));
  passes(imports('src/base/spawn.ts', 'node:child_process'));
  passes(imports('src/store/sqlite-store.ts', 'kysely'));
  passes(imports('src/downstream/link.test.ts', '@modelcontextprotocol/sdk/client'));
});

test('names are kebab-case and telling', () => {
  const named = (path: string) => checkName({ path, text: '' });
  fails(named('src/store/sqlStore.ts'), /kebab-case/);
  fails(named('src/Store/rows.ts'), /kebab-case/);
  fails(named('src/store/utils.ts'), /says nothing/);
  fails(named('src/helpers/rows.ts'), /says nothing/);
  fails(named('src/store/link-manager.ts'), /says nothing/);
  fails(named('src/store/types.ts'), /neither/);
  fails(named('src/store/index.ts'), /barrels/);
  passes(named('src/store/sql-store-contract.test.ts'));
  passes(named('src/base/http2-frames.test.ts'));
});

test('a file opens with a sentence', () => {
  const opened = (text: string) => checkOpening({ path: 'src/a/a.ts', text });
  for (const text of [
    '',
    'export const x = 1;',
    '// What it is.\n',
    '/** */',
    '/** Word. */',
    '/** no capital letter. */',
    '/** No end of it */',
    '\n/** Comes late. */',
  ]) {
    fails(opened(text), /Open the file/);
  }
  passes(opened('/** What it is. */\n'));
  passes(opened('#!/usr/bin/env node\n/**\n * What it is, over\n * two lines.\n */\n'));
});

test('long files are found, and exceptions that are no longer needed too', () => {
  const listed = [{ path: 'src/a/a.ts', reason: 'generated' }];
  const file = (lines: number) => ({ path: 'src/a/a.ts', text: 'x\n'.repeat(lines) });
  passes(checkLength(file(500), []));
  fails(checkLength(file(501), []), /501 lines/, 501);
  passes(checkLength(file(501), listed));
  fails(checkLength(file(500), listed), /off the list/);
});

test('the map may have 250 lines', () => {
  passes(checkArchitecture({ path: 'ARCHITECTURE.md', text: 'x\n'.repeat(250) }));
  fails(checkArchitecture({ path: 'ARCHITECTURE.md', text: 'x\n'.repeat(251) }), /251 lines/, 251);
});

test('banned words are found in code, comments and documents', () => {
  for (const word of [glued('TO', 'DO'), glued('FIX', 'ME'), glued('XX', 'X'), glued('HA', 'CK')]) {
    fails(words('src/a/a.ts', `\n// ${word}: later`), /Finish it/, 2);
    fails(words('README.md', `${word} later`), /Finish it/);
  }
  fails(words('test/a.test.ts', glued('// @ts-', 'ignore')), /Type errors/);
  fails(words('src/a/a.ts', 'const x = y as any;'), /what the type is/);
  passes(words('src/a/a.ts', '// as good as any other\nconst x = "as any";'));
  for (const text of ['export default x;', 'export { x as default };']) fails(words('src/a/a.ts', text), /default/);
});

test('machine paths and registries are found', () => {
  for (const folder of ['home', 'root', 'work', 'Users'])
    fails(words('docs/a.md', `see /${folder}/me/x`), /one machine/);
  passes(words('docs/a.md', 'see src/home/x, https://example.org/Users/x and ~/home/x'));
  for (const host of [glued('registry.', 'npmjs.org'), glued('py', 'pi.org')])
    fails(words('src/a/a.ts', `'https://${host}/x'`), /registries/);
});

test('only some places may print, end the process, connect or speak SQL', () => {
  const cases: [string, string, RegExp][] = [
    ['console.log(1);', 'src/surfaces/cli/print.ts', /log/],
    ['process.exit(1);', 'src/main.ts', /Only main/],
    ["import { exit } from 'node:process';", 'src/main.ts', /Only main/],
    ['await fetch(url);', 'src/downstream/http-transport.ts', /Only downstream/],
    ["import { request } from 'node:http';", 'src/downstream/http-transport.ts', /Only downstream/],
    ['net.connect(80);', 'src/downstream/http-transport.ts', /Only downstream/],
    ["db.run('SELECT a FROM b');", 'src/store/rows.ts', /SQL lives/],
  ];
  for (const [text, allowed, reason] of cases) {
    fails(words('src/endpoint/endpoint.ts', text), reason);
    passes(words(allowed, text));
    passes(words('src/endpoint/endpoint.test.ts', text));
    passes(words('src/endpoint/endpoint.ts', `// ${text}`));
  }
  passes(words('src/endpoint/endpoint.ts', 'process.exitCode = 1; cache.fetch(key); request(x); console.error(1);'));
});

test('secrets are not compared where how long it takes would tell', () => {
  for (const text of ['if (token === known) enter();', "if (cookie !== 'x') leave();", 'return ownSecret === given;'])
    fails(words('src/door/door.ts', text), /found by their hash/);
  for (const text of ['if (token === undefined) leave();', "typeof token === 'string'", "if (secret !== '') go();"])
    passes(words('src/door/door.ts', text));
});

test('paths in documents must exist', () => {
  const exists = (path: string) =>
    ['src/store/store.ts', 'docs/guides', 'docs/guides/start.md', 'README.md'].includes(path);
  const inGuide = (text: string) => checkDocumentPaths({ path: 'docs/guides/start.md', text }, exists);
  fails(inGuide('\nsee `src/store/gone.ts`'), /src\/store\/gone\.ts does not exist/, 2);
  fails(inGuide('see `store/gone.ts`'), /does not exist/);
  fails(inGuide('see `docs/gone`'), /does not exist/);
  fails(inGuide('see [this](../gone.md#part)'), /does not exist/);
  passes(
    inGuide(
      '`src/store/store.ts` `store/store.ts:12` `docs/guides` [x](../../README.md#a) [y](https://a.b/c) [z](#here)',
    ),
  );
  passes(
    inGuide(
      '`tools/call` `dist/main.js` `docs/decisions/NNNN-title.md` `src/*/x.ts` `~/.toolcrib/config.json`\n```\n`src/gone.ts` [x](gone.md)\n```',
    ),
  );
});

test('requirements and citations must meet', () => {
  const id = 'LINK-03';
  const promise = { id, sentence: 'A link is opened once.', source: 'section 4' };
  const citing = { path: 'test/a.test.ts', text: `\ntest('[${id}] opens once', () => {});` };
  passes(checkRequirements([promise], [citing]));
  fails(checkRequirements([promise], []), /No test proves LINK-03/);
  fails(checkRequirements([promise], [{ ...citing, path: 'src/a/a.ts' }]), /No test proves/);
  fails(checkRequirements([], [citing]), /is not in/, 2);
  fails(checkRequirements([promise, promise], [citing]), /twice/);
});

test('an exported name is declared by one file', () => {
  const first = { path: 'src/a/first.ts', text: 'export interface Slot {}\nexport function find(a: string): void;' };
  const second = { path: 'src/b/second.ts', text: '\nexport abstract class Slot {}' };
  fails(checkExportedNames([first, second]), /"Slot" is exported by src\/a\/first\.ts too/, 2);
  passes(checkExportedNames([{ ...first, text: `${first.text}\nexport async function find(a: number) {}` }]));
  passes(checkExportedNames([first, { ...second, path: 'src/b/second.test.ts' }]));
  passes(checkExportedNames([first, { ...second, text: '// export class Slot\nclass Slot {}' }]));
});

test('masking keeps every line and every length', () => {
  const text = 'const a = "x"; // c\nconst b = `1 $' + '{ a /* } */ } 2`;\nconst c = /"/; const d = "e";\n';
  const { code, uncommented } = maskSource(text);
  assert.equal(code.length, text.length);
  assert.equal(uncommented.length, text.length);
  assert.equal(code.split('\n').length, text.split('\n').length);
  assert.match(code, /^const a = " "; +\nconst b = ` +a +;\nconst c = 0 +; const d = " ";\n$/);
});

test('braces in strings, templates, comments and regular expressions are masked', () => {
  const lines = [
    'function f() {',
    '  const a = "}"; const b = \'{\'; // }',
    '  /* { */ const c = /[/}]\\}{/g; const d = e / 2 / g; const h = x ? /}/ : 1;',
    '  const t = `} $' + '{ { a: `$' + '{"}"}` }.a } {`;',
    '  return /}/.test(a);',
    '}',
  ];
  assert.equal(maskSource(lines.join('\n')).code.match(/[{}]/g)?.join(''), '{{}}');
});
