/** Tests of the declarations and of what the line is made of: help, usage errors, examples, completions and the reference. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { version } from '../../base/own-program.ts';
import { surfaceNames } from '../../config/config.ts';
import { buildProgram, type ParsedLine } from './build-program.ts';
import { isOffered } from './command.ts';
import { shells } from './commands/help.ts';
import { commandSections, commands, firstSteps } from './commands.ts';
import { completionWords } from './completions/completion-words.ts';
import { readCommandArguments, readFlags } from './read-values.ts';
import { cliReference } from './reference.ts';
import { runCli } from './run-cli.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write() {} }, {});

async function run(...argv: string[]) {
  const printed = { out: '', err: '' };
  const code = await runCli({
    argv,
    env: {},
    cwd: '/nowhere',
    stdin: Readable.from([]),
    stdout: { write: (text) => (printed.out += text) },
    stderr: { write: (text) => (printed.err += text) },
    signal: new AbortController().signal,
  });
  return { code, ...printed };
}

test('help and version go to stdout and are no errors', async () => {
  for (const argv of [['--help'], ['-h'], ['help']]) {
    const { code, out, err } = await run(...argv);
    assert.deepEqual([code, err], [0, '']);
    for (const command of ['start', 'add', 'config', 'doctor'])
      assert.match(out, new RegExp(`^ {2}${command}\\b`, 'm'));
    assert.match(out, /^Usage: .*\n\nAn MCP gateway.*\n\nFirst steps:\n {2}start /);
    assert.match(out, /^ {2}list, ls +List the servers/m);
  }
  for (const argv of [['--version'], ['-V'], ['version']]) {
    assert.deepEqual(await run(...argv), { code: 0, out: `${version}\n`, err: '' });
  }
  assert.match((await run('config')).out, /check .*\n.*path .*\n.*schema/);
});

test('[GET-60] help shows every command once, under a title; the name alone shows the first steps in a few lines', async () => {
  const { out } = await run('help');
  const rows = out.split('\n').flatMap((line) => /^ {2}([a-z]+)/.exec(line)?.[1] ?? []);
  const names = new Set(commands.filter(isOffered).map(({ name }) => name.split(' ')[0]));
  assert.deepEqual(rows.toSorted(), [...names].toSorted());
  for (const { title } of commandSections) assert.match(out, new RegExp(`^${title}:$`, 'm'));
  const short = await run();
  assert.deepEqual([short.code, short.err], [0, '']);
  assert.ok(short.out.split('\n').length <= 14, short.out);
  for (const { name } of firstSteps.commands) assert.match(short.out, new RegExp(`^ {2}${name} `, 'm'));
  assert.match(short.out, /^All commands: npx .*toolcrib help$/m);
});

test('[GET-61] ls and rm stand for list and remove, in groups too', async () => {
  for (const [short, full] of [
    [['ls'], ['list']],
    [['rm'], ['remove']],
    [
      ['secret', 'ls'],
      ['secret', 'list'],
    ],
    [
      ['token', 'ls'],
      ['token', 'list'],
    ],
  ] as const) {
    assert.equal((await run(...short, '--help')).out, (await run(...full, '--help')).out);
    assert.equal((await run('help', ...short)).out, (await run('help', ...full)).out);
  }
  assert.match((await run('rm')).err, /toolcrib remove" needs the argument NAME/);
});

test('every command has help with its flags and examples; hidden flags stay hidden', async () => {
  for (const { name, flags, examples } of commands) {
    const { code, out } = await run(...name.split(' '), '--help');
    assert.equal(code, 0, name);
    assert.equal((await run('help', ...name.split(' '))).out, out, name);
    for (const [flag, { isHidden }] of Object.entries(flags)) {
      assert.equal(new RegExp(`--${flag}\\b`).test(out), !isHidden, `${name} --${flag}`);
    }
    assert.ok(examples.length > 0, name);
    for (const { line } of examples) assert.ok(out.includes(`toolcrib ${line}`), `${name}: ${line}`);
    for (const shared of ['--json', '--quiet', '--data', '--config'])
      assert.ok(out.includes(shared), `${name} ${shared}`);
  }
});

/** Splits a line as a shell would, as far as our examples go. */
function words(line: string): string[] {
  const found = line.replace(/ >+ .*$/, '').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return found.map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

test('every example can be parsed and is one of its own command', () => {
  for (const command of commands.filter(({ renamedTo }) => renamedTo === undefined)) {
    for (const { line } of command.examples) {
      let chosen: { name: string; line: ParsedLine } | undefined;
      const onCommand = ({ name }: { name: string }, parsed: ParsedLine) => {
        chosen = { name, line: parsed };
      };
      buildProgram({ commands, version, width: 80, style, overview: () => '', write() {}, onCommand }).parse(
        words(line),
        {
          from: 'user',
        },
      );
      assert.equal(chosen?.name, command.name, line);
      readCommandArguments(command.args, chosen.line);
      readFlags(command.flags, chosen.line, {});
    }
  }
});

test('wrong usage ends with 2, one sentence and the nearest name', async () => {
  const cases: [argv: string[], message: RegExp, hint: RegExp][] = [
    [['lst'], /^There is no command "lst"\.$/m, /Did you mean "npx .*toolcrib list"/],
    [['config', 'chek'], /no command "config chek"/, /"npx .*toolcrib config check"/],
    [['help', 'serch'], /no command "serch"/, /"npx .*toolcrib search"/],
    [['qqqqqq'], /no command "qqqqqq"/, /toolcrib --help/],
    [['list', '--jsn'], /toolcrib list" has no option --jsn/, /--json/],
    [['start', '--prot', '1'], /no option --prot/, /--port/],
    [['add', 'x', 'npx', '-y', 'z'], /no option -y/, /Write "--" before the command/],
    [['add'], /toolcrib add" needs the argument NAME/, /For example: .*toolcrib add files -- /],
    [['list', 'x'], /takes no arguments/, /toolcrib list/],
    [['show', 'x', 'y'], /takes at most 1 argument\./, /toolcrib show files/],
    [['run'], /no command "run"/, /"npx .*toolcrib start"/],
    [['secrets', 'list'], /no command "secrets"/, /"npx .*toolcrib secret list"/],
    [['start', '-p', '1'], /no option -p/, /--port/],
    [['tools', '--server'], /--server NAME needs its value/, /tools --help/],
    [['start', '--log-level', 'wran'], /--log-level must be one of debug, .* not "wran"/, /"warn"/],
    [['completions', 'bsh'], /SHELL must be one of bash, zsh, fish/, /"bash"/],
    [['tools', '--category', 'gti'], /no category "gti"/, /"git"/],
  ];
  for (const [argv, message, hint] of cases) {
    const { code, out, err } = await run(...argv);
    assert.deepEqual([code, out], [2, ''], argv.join(' '));
    const [first = '', second = ''] = err.split('\n');
    assert.match(first, message);
    assert.match(second, hint);
    assert.match(second, /^hint: /);
  }
  for (const port of ['-1', '70000', '1.5', 'x', '']) {
    assert.match((await run('start', '--port', port)).err, /--port must be a whole number from 0 to 65535/);
  }
});

test('with --json usage errors are one line of JSON', async () => {
  for (const argv of [
    ['--json', 'lst'],
    ['lst', '--json'],
  ]) {
    const { code, err } = await run(...argv);
    assert.equal(code, 2);
    assert.deepEqual(JSON.parse(err), {
      error: { code: 'USAGE', message: 'There is no command "lst".', hint: 'Did you mean "toolcrib list"?' },
    });
  }
  assert.doesNotMatch((await run('list', 'x', '--', '--json')).err, /^\{/);
});

test('completions know every command and flag, and none that is hidden', () => {
  for (const [shell, write] of Object.entries(shells)) {
    const script = write(completionWords(commands));
    for (const { name, flags, renamedTo } of commands) {
      if (renamedTo !== undefined) continue;
      for (const word of name.split(' ')) assert.match(script, new RegExp(`\\b${word}\\b`), `${shell}: ${name}`);
      for (const [flag, { isHidden }] of Object.entries(flags)) {
        const written = shell === 'fish' ? ` -l ${flag}\\b` : `--${flag}\\b`;
        assert.equal(new RegExp(written).test(script), !isHidden, `${shell}: ${name} --${flag}`);
      }
    }
  }
});

test('an older name of a command is offered nowhere', async () => {
  const older = commands.filter(({ renamedTo }) => renamedTo !== undefined).map(({ name }) => name);
  const [start] = completionWords(commands).places;
  const { out } = await run('--help');
  assert.ok(older.length > 0);
  for (const name of older) {
    assert.ok(!start?.words.some(({ text }) => text === name), name);
    assert.doesNotMatch(out, new RegExp(`^ +${name}\\b`, 'm'));
  }
});

test('bash can read its completions and completes with them', () => {
  const script = shells.bash?.(completionWords(commands)) ?? '';
  execFileSync('bash', ['-n'], { input: script });
  const complete = (...typed: string[]) =>
    execFileSync('bash', [
      '-c',
      `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _toolcrib; printf '%s ' "\${COMPREPLY[@]}"`,
      'bash',
      'toolcrib',
      ...typed,
    ])
      .toString()
      .trim();
  assert.equal(complete('st'), 'start status stop stdio store');
  assert.equal(complete('config', ''), 'check path schema');
  assert.equal(complete('review', ''), 'accept reject undo');
  assert.equal(complete('review', 'accept', '--y'), '--yes');
  assert.equal(complete('start', '--log'), '--log-level --log-json');
  assert.equal(complete('start', '--log-level', ''), 'debug info warn error silent');
  assert.equal(complete('--json', 'completions', ''), 'bash zsh fish');
  assert.equal(complete('config', 'check', '--d'), '--data');
  assert.equal(complete('search', '--limit', ''), '');
});

test('help of stdio and the reference page name every surface that TOOLCRIB_SURFACE can say', async () => {
  const help = (await run('help', 'stdio')).out.replace(/\s+/g, ' ');
  const [, said = ''] = /TOOLCRIB_SURFACE \((.*?)\)/.exec(help) ?? [];
  assert.deepEqual(said.split(/, | or /), [...surfaceNames]);
  const row = /`TOOLCRIB_SURFACE`.*/.exec(cliReference(commandSections))?.[0] ?? '';
  for (const name of surfaceNames) assert.ok(row.includes(`\`${name}\``), name);
});

test('the reference page is up to date (TOOLCRIB_UPDATE=1 writes it)', async () => {
  const page = new URL('../../../docs/reference/cli.md', import.meta.url);
  const text = cliReference(commandSections);
  if (process.env.TOOLCRIB_UPDATE === '1') await writeFile(page, text);
  assert.equal(await readFile(page, 'utf8'), text);
});
