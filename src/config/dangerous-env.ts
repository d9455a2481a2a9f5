/** Environment variables that decide what is run instead of how it runs, or whom it trusts: setting one is enough to run anything. */

import { GatewayError } from '../base/errors.ts';

const names: ReadonlySet<string> = new Set(
  `BASHOPTS BASH_ENV BROWSER CLASSPATH COMSPEC CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER COR_PROFILER_PATH
  EDITOR ENV GCONV_PATH GLIBC_TUNABLES IFS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LUA_INIT NODE_OPTIONS
  NODE_PATH NODE_REPL_EXTERNAL_MODULE OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES PAGER PATH
  PATHEXT PERL5DB PERL5LIB PERL5OPT PERLLIB PHPRC PHP_INI_SCAN_DIR PROMPT_COMMAND PS4 PYTHONBREAKPOINT PYTHONEXECUTABLE
  PYTHONHOME PYTHONINSPECT PYTHONPATH PYTHONPLATLIBDIR PYTHONSTARTUP PYTHONUSERBASE PYTHONWARNINGS RUBYLIB RUBYOPT SHELL
  SHELLOPTS SSH_ASKPASS SYSTEMROOT VISUAL WINDIR _JAVA_OPTIONS
  GOBIN GOENV GOFLAGS GOINSECURE GONOPROXY GONOSUMCHECK GONOSUMDB GOPATH GOPRIVATE GOPROXY GOROOT GOSUMDB GOTOOLCHAIN
  HOME USERPROFILE XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS ZDOTDIR DOCKER_CONFIG DOCKER_HOST
  ALL_PROXY FTP_PROXY HTTP_PROXY HTTPS_PROXY CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED
  REQUESTS_CA_BUNDLE SSLKEYLOGFILE SSL_CERT_DIR SSL_CERT_FILE`.split(/\s+/),
);

/** Families of them: loaders, functions of shells, git, and what fetches or builds what is then run. */
const beginnings: readonly string[] =
  `LD_ DYLD_ BASH_FUNC_ GIT_ NPM_CONFIG_ PIP_ UV_ BUN_ BUNDLE_ CARGO_ COREPACK_ DENO_ DOTNET_ GEM_ PIPX_ PNPM_ POETRY_ RUST
  YARN_`.split(/\s+/);
/** Members of those families that only say how to speak or whom to be. */
const harmless: ReadonlySet<string> = new Set(
  `CARGO_TERM_COLOR COREPACK_ENABLE_DOWNLOAD_PROMPT DENO_NO_PROMPT DENO_NO_UPDATE_CHECK DOTNET_CLI_TELEMETRY_OPTOUT
  DOTNET_ENVIRONMENT DOTNET_NOLOGO DOTNET_RUNNING_IN_CONTAINER DOTNET_SYSTEM_GLOBALIZATION_INVARIANT
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
  GIT_TERMINAL_PROMPT GIT_TOKEN NPM_CONFIG_LOGLEVEL NPM_CONFIG_YES NPM_CONFIG_UPDATE_NOTIFIER NPM_CONFIG_FUND
  PIP_NO_COLOR PIP_QUIET RUST_BACKTRACE RUST_LOG UV_NO_PROGRESS UV_QUIET`.split(/\s+/),
);

/** Which of these variables are dangerous, in the order given. Case does not count: on some systems it does not to them either. */
export function dangerousVariables(variables: Iterable<string>): string[] {
  return [...variables].filter((name) => {
    const known = name.toUpperCase();
    if (harmless.has(known)) return false;
    return names.has(known) || beginnings.some((beginning) => known.startsWith(beginning));
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
