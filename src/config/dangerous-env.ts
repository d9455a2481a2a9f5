/** Environment variables that decide what is run instead of how it runs, or whom it trusts: setting one is enough to run anything. */

import { GatewayError } from '../base/errors.ts';

/** Programs that others start, what shells read first, where programs and their settings are looked for, and whom to trust. */
const names: ReadonlySet<string> = new Set(
  `ALL_PROXY AR AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE BASHOPTS BASH_ENV BROWSER CC CDPATH CLASSPATH COMSPEC CURL_CA_BUNDLE
  CURL_HOME CXX DOCKER_HOST ENV EXINIT FPATH FTP_PROXY GCONV_PATH GLIBC_TUNABLES GNUPGHOME HGRCPATH HOME HTTPS_PROXY HTTP_PROXY IFS
  JULIA_PROJECT KUBECONFIG LESSCLOSE LESSOPEN MAKE MAKEFLAGS NETRC NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE
  NODE_TLS_REJECT_UNAUTHORIZED PATH PATHEXT PHPRC PROMPT_COMMAND PS4 PSMODULEPATH REQUESTS_CA_BUNDLE SHELL SHELLOPTS SSLKEYLOGFILE
  SSL_CERT_DIR SSL_CERT_FILE SVN_SSH SYSTEMROOT TCLLIBPATH USERPROFILE VIMINIT VIRTUAL_ENV VISUAL WGETRC WINDIR ZDOTDIR`.split(
    /\s+/,
  ),
);

/** Loaders, functions of shells, git, and what fetches, builds or starts what is then run: whatever begins so. */
const beginnings =
  /^(?:LDR?_|_RLD_|DYLD_|BASH_FUNC_|GIT_|XDG_|OPENSSL_|ELECTRON_|CORECLR_|COR_|PYTHON|PERL|RUBY|RUST|JDK_|_?JAVA_(?:TOOL_)?OPTIONS|NPM_CONFIG_|PNPM_|YARN_|COREPACK_|BUN_|DENO_|PIPX?_|UV_|POETRY_|CONDA_|GEM_|BUNDLE_|CARGO_|DOTNET_)/;

/** Variables of Go have no sign after its name. */
const ofGo =
  /^(?:CGO_|GO(?:AUTH|BIN|CACHE|DEBUG|ENV|EXPERIMENT|FLAGS|INSECURE|MODCACHE|NO(?:PROXY|SUM)|PATH|PRIVATE|PROXY|ROOT|SUMDB|TMPDIR|TOOL|VCS|WORK))/;

/** Options of any runtime, and programs that any tool starts to ask, edit, show or connect. */
const endings = /(?:_OPTIONS|_OPTS|EDITOR|PAGER|_ASKPASS|_RSH|_EXECUTABLE|_EXECUTABLE_PATH)$/;

const runtimes =
  'ANSIBLE|ANT|ASDF|CABAL|CLOUDSDK|CLOJURE|COMPOSER|DART|DOCKER|ELIXIR|ERL|ERLANG|FLUTTER|FNM|GHC|GRADLE|GROOVY|GUILE|HATCH|HELM|HEX|JAVA|JRE|JULIA|JVM|KOTLIN|LEIN|LUA|LUAROCKS|MAMBA|MAVEN|MISE|MIX|MONO|MVN|NIM|NIX|NODE|NPM|NUGET|NVM|OCAML|OPAM|PDM|PHP|PIPENV|PODMAN|PYENV|R|RBENV|RVM|SBT|SCALA|STACK|SWIFT|TCL|TERRAFORM|TF|TS_NODE|VOLTA|ZIG';
const decisive =
  'A?FLAGS|ARGS|CONFIG|CPATH|DIRS?|ENVIRON|HOME|INI|INIT|LIBRARY|LIBS?|OPTIONS|OPTS|PATH|PLUGINS?|PREFIX|PROFILE|RC|REGISTRY|ROOT|ZFLAGS';
/** The options, homes, paths and configs of a runtime or a tool that has harmless variables too. */
const ofRuntimes = new RegExp(`^(?:${runtimes})_(?:[A-Z0-9]+_)*(?:${decisive})(?:_|$)`);

const families: readonly RegExp[] = [beginnings, ofGo, endings, ofRuntimes];
/** Members of those families that only say how to speak or whom to be. */
const harmless: ReadonlySet<string> = new Set(
  `CARGO_TERM_COLOR COREPACK_ENABLE_DOWNLOAD_PROMPT DENO_NO_PROMPT DENO_NO_UPDATE_CHECK DOTNET_CLI_TELEMETRY_OPTOUT
  DOTNET_ENVIRONMENT DOTNET_NOLOGO DOTNET_RUNNING_IN_CONTAINER DOTNET_SYSTEM_GLOBALIZATION_INVARIANT
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
  GIT_TERMINAL_PROMPT GIT_TOKEN NPM_CONFIG_LOGLEVEL NPM_CONFIG_YES NPM_CONFIG_UPDATE_NOTIFIER NPM_CONFIG_FUND
  PIP_NO_COLOR PIP_QUIET PYTHONASYNCIODEBUG PYTHONDEVMODE PYTHONDONTWRITEBYTECODE PYTHONFAULTHANDLER PYTHONHASHSEED
  PYTHONIOENCODING PYTHONLEGACYWINDOWSSTDIO PYTHONNOUSERSITE PYTHONOPTIMIZE PYTHONSAFEPATH PYTHONTRACEMALLOC PYTHONUNBUFFERED
  PYTHONUTF8 PYTHONVERBOSE PYTHON_ENV PYTHON_VERSION RUBY_VERSION RUST_BACKTRACE RUST_LOG UV_NO_PROGRESS UV_QUIET
  XDG_CURRENT_DESKTOP XDG_SESSION_TYPE`.split(/\s+/),
);

/**
 * The variables that are dangerous, in the order given. Case does not count: on some systems it does not to them either. No
 * security boundary: any program may read variables that nobody here knows.
 */
export function dangerousVariables(variables: Iterable<string>): string[] {
  return [...variables].filter((name) => {
    const known = name.toUpperCase();
    if (harmless.has(known)) return false;
    return names.has(known) || families.some((family) => family.test(known));
  });
}

/** For servers that come from anywhere but the owner's own file. Throws CONFIG_INVALID, which names the variables. */
export function refuseDangerousVariables(server: string, variables: Iterable<string>): void {
  const found = dangerousVariables(variables);
  if (found.length === 0) return;
  const listed = found.map((name) => `"${name}"`).join(', ');
  throw new GatewayError(
    'CONFIG_INVALID',
    `Server "${server}" was not saved: it sets ${listed}, which can make other programs run than the ones that are named, or lead them elsewhere.`,
    {
      hint: 'Leave it out; or, if you know why it is there, allow it with --allow-env or write it into the config file.',
      data: { reason: 'dangerous-environment', variables: found },
    },
  );
}
