#!/usr/bin/env node
/** The bin: checks the version of Node in a syntax that old ones can read, then loads the program. */

var found = process.versions.node;
var parts = found.split('.').map(Number);
var isNewEnough = parts[0] > 24 || (parts[0] === 24 && parts[1] >= 16);

if (!isNewEnough) {
  refuse();
} else {
  load();
}

// A checkout brings a Node that fits.
function refuse() {
  var command = process.argv[2] || 'start';
  import('node:fs').then((fs) => {
    var isCheckout = fs.existsSync(new URL('../src/main.ts', import.meta.url));
    var remedy = isCheckout
      ? `run "npm install", then: npx toolcrib ${command}`
      : 'install a newer Node, and run the same command again';
    process.stderr.write(`Toolcrib needs Node 24.16 or newer, and this is Node ${found}; ${remedy}\n`);
    process.exitCode = 1;
  });
}

// Compiled code is kept between starts, which halves the time and memory of one.
// A checkout runs its source; the package holds only what was built from it.
function load() {
  var fs = process.getBuiltinModule('node:fs');
  process.getBuiltinModule('node:module').enableCompileCache();
  var source = new URL('../src/main.ts', import.meta.url);
  var program = fs.existsSync(source) ? source : new URL('../dist/main.js', import.meta.url);
  import(program.href).then((module) => module.main(process.argv.slice(2)));
}
