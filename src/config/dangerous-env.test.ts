/** Dangerous variables: those that decide what is run are known in every spelling, ordinary ones are left alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { dangerousVariables, refuseDangerousVariables } from './dangerous-env.ts';

test('variables that load code, split words, find or fetch programs, or say whom to trust are dangerous', () => {
  const dangerous =
    `LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS node_options NODE_PATH PYTHONSTARTUP PYTHONPATH
    PERL5OPT RUBYOPT BASH_ENV ENV IFS GIT_SSH_COMMAND GIT_CONFIG_COUNT PATH Path BASH_FUNC_ls%% npm_config_registry
    JAVA_TOOL_OPTIONS DOTNET_STARTUP_HOOKS NODE_TLS_REJECT_UNAUTHORIZED PIP_INDEX_URL
    BUN_CONFIG_REGISTRY COREPACK_NPM_REGISTRY YARN_NPM_REGISTRY_SERVER PNPM_HOME GOPROXY GOFLAGS PIPX_DEFAULT_PYTHON RUSTC_WRAPPER
    RUSTFLAGS CARGO_HOME POETRY_HOME GEM_HOME BUNDLE_GEMFILE DENO_DIR DOTNET_ROOT DOCKER_HOST ZDOTDIR HOME USERPROFILE
    XDG_CONFIG_HOME PYTHONBREAKPOINT PYTHONWARNINGS NODE_EXTRA_CA_CERTS SSL_CERT_FILE HTTPS_PROXY https_proxy ALL_PROXY`.split(
      /\s+/,
    );
  assert.deepEqual(dangerousVariables(dangerous), dangerous);
});

test('ordinary variables are not', () => {
  const ordinary = [
    'API_KEY',
    'HOMEPAGE',
    'LANG',
    'PATHS',
    'MY_PATH',
    'NODE_ENV',
    'NO_PROXY',
    'APPDATA',
    'PYTHONUNBUFFERED',
    'RUST_LOG',
    'DOTNET_NOLOGO',
    'TRUSTED',
    'GOOGLE_API_KEY',
    'GIT_AUTHOR_NAME',
  ];
  assert.deepEqual(dangerousVariables([...ordinary, 'DEBUG', 'ENVIRONMENT', 'OLD_PRELOAD', '']), []);
  refuseDangerousVariables('x', ordinary);
});

test('a refusal names the variables, not their values, and what to do', () => {
  assert.throws(
    () => refuseDangerousVariables('x', ['API_KEY', 'LD_PRELOAD', 'PATH']),
    (error) => {
      assert.ok(error instanceof GatewayError);
      assert.match(error.message, /Server "x" was not saved: it sets "LD_PRELOAD", "PATH"/);
      assert.match(error.hint ?? '', /--allow-env/);
      return error.code === 'CONFIG_INVALID';
    },
  );
});
