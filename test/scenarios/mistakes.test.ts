/** Mistakes that people are likely to make on the command line: what is typed, what is printed and how it ends, as one list to read. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { serverCommand } from '../servers/launch.ts';

const list = new URL('../fixtures/mistakes.txt', import.meta.url);

/** Typed in a folder with a server "files" and the files below; BUSY is a port that somebody else uses. */
const lines = `
strat
lst
serach create an issue
servers
run
login linear
secrets list
optimise report
qqqqqq
config chek
token creat ann
help serch
approve
show
remove
call
search
list files
list --jsn
list --verbose
list -x
start --prot 4000
start -p 4000
start --port
start --port abc
start --port 99999
start --port -1
start --host
start --log-level verbose
start --port BUSY
start --no-auth --host 0.0.0.0
start --data notes.txt
start --config missing.json
start --config broken.json
start --config wrong.json
config check missing.json
config check wrong.json
tools --server
tools --server fils
tools --category gti
search ""
search --limit 0 issues
search --limit many issues
search --mode fuzzy issues
add
add docs
add docs npx -y some-server
add docs -y
add files -- node server.js
add docs htps://example.com/mcp
add docs example.com:8080/mcp
add docs https://example.com/mcp extra
add docs https://example.com/mcp --env KEY=value
add docs --header "Accept: text" -- node server.js
add docs --env KEY -- node server.js
show fils
show FILES
remove fils
enable fils
refresh fils
set files
set files --permission write
set files --permission echo=maybe
set files --timeout-ms soon
set files --unset colour
set files --upgrades never
info ech
info files:ech
call files
call fils:echo
call files:ech
call files:add a=1
call files:add a=one b=2
call files:add a=1 a=2
call files:add {a:1}
call files:add '{"a":1'
call files:add '[1,2]'
call files:add '{"a":1}' b=2
call files:echo hello
call files:echo @missing.json
call files:echo @notes.txt
call files:echo text=@missing.txt
call files:echo text=hello --save nowhere/picture.png
call files:echo text=hello --save picture.png
chain missing.js
chain .
token create "a b"
token create ann --scope all
token create ann --expires soon
token create ann --project nowhere
token revoke nobody
project create shop --search fuzzy
project set nowhere --servers files
secret set "my key"
secret set API_KEY
secret remove NOTHING
review fils
review accept
review accept files:ech
approve 123
deny 123
metrics fils
metrics --days soon
audit --kind things
completions powershell
optimize run files
browser end nobody
tui
status
logs
stop
import --from emacs
import --from clade-code
add "My Files" -- node server.js
add docs --cwd nowhere -- node server.js
add broken -- no-such-command
`
  .trim()
  .split('\n');

const files: Readonly<Record<string, string>> = {
  'notes.txt': 'This is no JSON.\n',
  'broken.json': '{\n  "servers": {\n',
  'wrong.json': '{\n  "serch": {},\n  "calls": { "timeoutMs": "soon" }\n}\n',
};

/** As a shell would split it, as far as these lines go. */
function wordsOf(line: string): string[] {
  return (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

test('[GET-70] each likely mistake ends with its code, and says what to do (TOOLCRIB_UPDATE=1 writes the list)', async () => {
  await using machine = await CliMachine.make();
  for (const [name, text] of Object.entries(files)) await writeFile(join(machine.home, name), text);
  const { command, args } = serverCommand({});
  assert.equal((await machine.run('add', 'files', '--', command, ...args)).code, 0);
  await using other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // it listens on a port
  const parts: string[] = [];
  for (const line of lines) {
    const argv = wordsOf(line).map((word) => (word === 'BUSY' ? String(port) : word));
    const { code, stdout, stderr } = await machine.run(...argv);
    const printed = [stdout, stderr].filter((text) => text !== '').join('');
    parts.push(`$ toolcrib ${line}\n${printed}exit ${code}\n`);
    assert.notEqual(code, null, line);
  }
  const text = parts
    .join('\n')
    .replaceAll(machine.home, '~')
    .replaceAll(String(port), 'BUSY')
    // Only a slow machine says what it waits for.
    .replace(/^Starting .* …\n/gm, '')
    .replace(/process \d+ \(.*\)/g, 'process PID (COMMAND)')
    .replace(/npx (--prefix \S+ )?toolcrib/g, 'toolcrib');
  if (process.env.TOOLCRIB_UPDATE === '1') await writeFile(list, text);
  assert.equal(text, await readFile(list, 'utf8'));
});
