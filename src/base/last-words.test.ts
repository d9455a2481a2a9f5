/** Last words: the error stands in them, whatever the runtime prints around it. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { lastWords } from './last-words.ts';

const frames = [
  '    at load (node:internal/modules/helpers:318:16)',
  '    at Object.<anonymous> (/srv/pty/index.js:15:20)',
];

test('lines that are no trace are the last ones that are not empty', () => {
  assert.deepEqual(lastWords('one\ntwo\n\n  \nthree\n', 2), ['two', 'three']);
  assert.deepEqual(lastWords('', 3), []);
});

test('a crash of Node is told by its error, not by frames, members, source or version', () => {
  const printed = [
    'Listening soon',
    '/srv/pty/lib/load.js:29',
    '    throw lastError;',
    '    ^',
    '',
    'Error: Failed to load native module: pty.node',
    ...frames,
    '    at node:internal/main:1:1 {',
    "  code: 'ERR_DLOPEN_FAILED'",
    '}',
    '',
    'Node.js v26.10.0',
  ].join('\n');
  const error = 'Error: Failed to load native module: pty.node';
  assert.deepEqual(lastWords(printed, 3), ['Listening soon', error]);
  assert.deepEqual(lastWords(printed, 1), [error]);
});

test('a crash of the Node that runs here is told so too', () => {
  const code = `throw new Error('No key was given', { cause: new TypeError('KEY is empty') })`;
  const { stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  const said = lastWords(stderr, 3);
  assert.deepEqual([said.at(-2), said.at(-1)?.trim()], ['Error: No key was given', '[cause]: TypeError: KEY is empty']);
  assert.match(stderr, /Node\.js v/);
});

test('a message longer than what is shown keeps its beginning', () => {
  const stack = Array.from({ length: 9 }, (_, at) => `- /srv/module-${at}.js`);
  const printed = ["Error: Cannot find module './x'", 'Require stack:', ...stack, ...frames].join('\n');
  assert.deepEqual(lastWords(printed, 3), ["Error: Cannot find module './x'", 'Require stack:', stack[0]]);
  const withEnd = lastWords(`${printed}\nShutting down`, 3);
  assert.deepEqual(withEnd, ["Error: Cannot find module './x'", 'Require stack:', 'Shutting down']);
});

test('a trace that was followed by much else is not what a program ended with', () => {
  const printed = ['Error: one try failed', ...frames, 'again', 'it works', 'Out of memory'].join('\n');
  assert.deepEqual(lastWords(printed, 3), ['again', 'it works', 'Out of memory']);
});

test('a traceback of Python is told by its last line', () => {
  const printed = [
    'Starting',
    'Traceback (most recent call last):',
    '  File "/srv/server.py", line 3, in <module>',
    '    import nothing',
    '    ^^^^^^^^^^^^^^',
    '  File "/srv/other.py", line 9, in load',
    '    raise ModuleNotFoundError',
    "ModuleNotFoundError: No module named 'nothing'",
  ].join('\n');
  assert.deepEqual(lastWords(printed, 3), ['Starting', "ModuleNotFoundError: No module named 'nothing'"]);
});

test('where only a part of a trace is left, that part is better than nothing', () => {
  assert.deepEqual(lastWords(frames.join('\n'), 1), [frames[1]]);
});

test('a marker under a line that names no place is kept with it', () => {
  assert.deepEqual(lastWords('bad indentation in the settings\n  key: value\n      ^', 3).length, 3);
});

/** Output that programs really printed, and the line that says why. */
const printed: Readonly<Record<string, readonly [said: string, why: readonly string[]]>> = {
  'a package that is not published': [
    `npm warn Unknown user config "nodedir". This will stop working in the next major version of npm.
npm error code E404
npm error 404 Not Found - GET https://registry.example/@nobody%2fno-such-server
npm error 404
npm error 404  The requested resource '@nobody/no-such-server@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /srv/ada/.npm/_logs/2026-11-16T14_42_34_273Z-debug-0.log`,
    [
      'npm error 404 Not Found - GET https://registry.example/@nobody%2fno-such-server',
      "npm error 404  The requested resource '@nobody/no-such-server@*' could not be found or you do not have permission to access it.",
    ],
  ],
  'a version that does not exist': [
    `npm error code ETARGET
npm error notarget No matching version found for is-odd@99.99.99.
npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.
npm error A complete log of this run can be found in: /srv/ada/.npm/_logs/2026-11-16T14_42_36_265Z-debug-0.log`,
    ['npm error notarget No matching version found for is-odd@99.99.99.'],
  ],
  'a package without a command': [
    `npm error could not determine executable to run
npm error A complete log of this run can be found in: /srv/ada/.npm/_logs/2026-11-16T14_42_38_193Z-debug-0.log`,
    ['npm error could not determine executable to run'],
  ],
  'a registry that is not there': [
    `npm error code ECONNREFUSED
npm error syscall connect
npm error errno ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/is-odd failed, reason: connect ECONNREFUSED 127.0.0.1:9
npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/node_modules/minipass-fetch/lib/index.js:130:14)
npm error     at ClientRequest.emit (node:events:524:28) {
npm error   code: 'ECONNREFUSED',
npm error   address: '127.0.0.1',
npm error }
npm error
npm error If you are behind a proxy, please make sure that the 'proxy' config is set properly.  See: 'npm help config'
npm error A complete log of this run can be found in: /srv/ada/.npm/_logs/2026-11-16T14_42_40_897Z-debug-0.log`,
    ['npm error FetchError: request to http://127.0.0.1:9/is-odd failed, reason: connect ECONNREFUSED 127.0.0.1:9'],
  ],
  'half an installation': [
    `npm error code ENOENT
npm error syscall open
npm error path /srv/ada/.npm/_npx/68b53d3fd47bf8db/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/srv/ada/.npm/_npx/68b53d3fd47bf8db/package.json'
npm error enoent This is related to npm not being able to find a file.
npm error enoent
npm error A complete log of this run can be found in: /srv/ada/.npm/_logs/2026-11-16T14_03_48_799Z-debug-0.log`,
    [
      "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/srv/ada/.npm/_npx/68b53d3fd47bf8db/package.json'",
    ],
  ],
  'a syntax error': [
    `file:///srv/bad.mjs:1
import { nothing } from "./x.mjs"; const a = ;
                                             ^

SyntaxError: Unexpected token ';'
    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)
    at async ModuleJob._link (node:internal/modules/esm/module_job:148:19)

Node.js v20.20.2`,
    ["SyntaxError: Unexpected token ';'"],
  ],
  'a variable that is not set, in Python': [
    `Traceback (most recent call last):
  File "<string>", line 5, in <module>
  File "<frozen os>", line 679, in __getitem__
KeyError: 'GITHUB_TOKEN'`,
    ["KeyError: 'GITHUB_TOKEN'"],
  ],
  'a variable that is not set, and how the program is used': [
    `Error: API_KEY environment variable is required
Usage: server [options]
  --api-key KEY   the key
  --port N        the port
  --verbose       more lines
  --help          this text`,
    ['Error: API_KEY environment variable is required', 'Usage: server [options]', '  --api-key KEY   the key'],
  ],
  'a panic of Rust': [
    `
thread 'main' (15152) panicked at p.rs:1:48:
called \`Result::unwrap()\` on an \`Err\` value: NotPresent
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/panicking.rs:689:5
   3: p::main
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
    ["thread 'main' (15152) panicked at p.rs:1:48:", 'called `Result::unwrap()` on an `Err` value: NotPresent'],
  ],
  'a panic of Go': [
    'panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:5 +0x2c\nexit status 2',
    ['panic: no key'],
  ],
  'a daemon that does not run': [
    `docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?

Run 'docker run --help' for more information`,
    ['docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?'],
  ],
  'nothing but chatter': [
    'npm warn deprecated one@1.0.0: old\nnpm notice New version of npm available',
    ['npm warn deprecated one@1.0.0: old', 'npm notice New version of npm available'],
  ],
};

for (const [what, [said, why]] of Object.entries(printed))
  test(`[LINK-46] the line that says why is quoted: ${what}`, () => assert.deepEqual(lastWords(said, 3), why));
