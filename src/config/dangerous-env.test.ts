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
    XDG_CONFIG_HOME PYTHONBREAKPOINT PYTHONWARNINGS NODE_EXTRA_CA_CERTS SSL_CERT_FILE HTTPS_PROXY https_proxy ALL_PROXY
    PYTHONHOME RUBYLIB PERL5LIB PERL5DB _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_HOME MAVEN_OPTS GRADLE_USER_HOME TAR_OPTIONS GOENV GOAUTH
    CGO_CFLAGS_ALLOW UV_INDEX_URL PROMPT_COMMAND SHELLOPTS GIT_EXTERNAL_DIFF GIT_CONFIG_KEY_0 SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH
    AWS_PAGER KUBE_EDITOR EDITOR BROWSER XDG_DATA_DIRS LUA_INIT_5_4 LUA_CPATH ERL_AFLAGS R_PROFILE_USER JULIA_DEPOT_PATH
    TF_CLI_CONFIG_FILE KUBECONFIG DOCKER_CONFIG NODE_CONFIG_DIR NVM_DIR CONDA_PREFIX OPENSSL_CONF ELECTRON_RUN_AS_NODE
    PUPPETEER_EXECUTABLE_PATH PSModulePath CC SVN_SSH GIT_SSH`.split(/\s+/);
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
    'GOTENBERG_URL',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'MEMORY_FILE_PATH',
    'OBSIDIAN_VAULT_PATH',
    'ALLOWED_DIRS',
    'NPM_TOKEN',
    'NODE_AUTH_TOKEN',
    'PYTHONIOENCODING',
    'AWS_PROFILE',
    'DOCKER_TOKEN',
    'JAVA_LOG_LEVEL',
    'R_API_KEY',
    'HOMEASSISTANT_URL',
    'BROWSER_TIMEOUT',
    'LDAP_URL',
    'SHELL_TIMEOUT',
    'CONFIG_FILE',
    'PYTHONNOUSERSITE',
    'PYTHONSAFEPATH',
    'PYTHON_VERSION',
    'XDG_SESSION_TYPE',
    'XDG_CURRENT_DESKTOP',
    'USE_SSH',
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
