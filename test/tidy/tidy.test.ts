/** The repository obeys its own house rules (`rules.ts`). Each finding is printed as file:line and the reason. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDocumentPaths } from './document-paths.ts';
import { checkExportedNames } from './exported-names.ts';
import { checkArchitecture, checkLength, checkName, checkOpening } from './file-shape.ts';
import { type Finding, printed, type SourceFile } from './finding.ts';
import { checkImports } from './imports.ts';
import { existsInRepository, readDocuments, readExamples, readSources } from './repository.ts';
import { checkRequirements, type Requirement } from './requirement-ids.ts';
import { importExceptions, longFiles } from './rules.ts';
import { checkWording } from './wording.ts';

const sources = readSources();
const documents = readDocuments();

function obeys(files: readonly SourceFile[], check: (file: SourceFile) => Finding[]): void {
  const findings = printed(files.flatMap((file) => check(file)));
  assert.ok(findings === '', `\n${findings}\n`);
}

test('the sources are found', () => {
  assert.ok(sources.some((file) => file.path === 'test/tidy/tidy.test.ts'));
  assert.ok(sources.some((file) => file.path.startsWith('src/')));
});

test('imports follow the order of folders, and modules stay where they belong', () => obeys(sources, checkImports));
test('files are short', () => obeys(sources, (file) => checkLength(file)));
test('files open with a sentence', () => obeys(sources, checkOpening));
test('files have telling names', () => obeys(sources, checkName));
test('no exported name is declared twice', () => {
  const findings = printed(checkExportedNames(sources));
  assert.ok(findings === '', `\n${findings}\n`);
});
test('no banned words, in sources or documents', () => obeys([...sources, ...documents], checkWording));
test('no banned words in written examples either', () => obeys(readExamples(), checkWording));
test('paths in documents exist', () => obeys(documents, (file) => checkDocumentPaths(file, existsInRepository)));
test('the map of the architecture stays readable', () => obeys(documents, checkArchitecture));

test('exceptions name files that exist', () => {
  const listed = longFiles.map((one) => one.path);
  for (const { from, to } of importExceptions) listed.push(from, to);
  assert.deepEqual(
    listed.filter((path) => !existsInRepository(path)),
    [],
  );
});

test('every requirement is cited by a test, and every cited one exists', async (context) => {
  if (!existsInRepository('test/requirements.ts')) {
    context.skip('test/requirements.ts is missing, so no promise is checked');
    return;
  }
  const path = '../requirements.ts'; // a variable, so that types are checked while the file is missing
  const loaded = (await import(path)) as { readonly requirements: readonly Requirement[] }; // its own type says the same
  const findings = printed(checkRequirements(loaded.requirements, sources));
  assert.ok(findings === '', `\n${findings}\n`);
});
