/** The house rules as data; `tidy.test.ts` enforces them. Patterns are written so that they do not match their own source. */

/** From left to right: a file may import its own folder, or the front file (`folder/folder.ts`) of a folder further right. */
export const folderOrder: readonly string[] = [
  'surfaces',
  'admin',
  'optimizer',
  'door',
  'endpoint',
  'meta-tools',
  'programs',
  'offers',
  'tools',
  'sandbox',
  'search',
  'catalog',
  'caller',
  'arguments',
  'agent-program',
  'downstream',
  'results',
  'metrics',
  'access',
  'audit',
  'trust',
  'store',
  'vault',
  'meaning',
  'language-model',
  'agent-files',
  'telemetry',
  'config',
  'demo',
  'protocol',
  'base',
];

/** Folders whose every file may be imported: vocabularies, not layers with an inside. */
export const openFolders: readonly string[] = ['protocol', 'base'];

/** Folders inside a folder that are loaded on their own and therefore have a front file of their own. */
export const innerFronts: readonly string[] = [
  'admin/client',
  'store/lock',
  'surfaces/cli',
  'surfaces/stdio',
  'surfaces/tui',
  'surfaces/web',
  'surfaces/live',
  'surfaces/wording',
];

/** Files directly under `src`: they know every front file, and no folder imports them. */
export const rootFiles: readonly string[] = ['src/main.ts', 'src/gateway.ts'];
/** Except that a surface may open a gateway of its own where none is running. */
export const gatewayUsers: readonly string[] = ['surfaces'];

/** Imports of folders outside `src`, beside the code and themselves: the examination is built from the parts of the tests. */
export const outsideImports: Readonly<Record<string, readonly string[]>> = { test: ['exam'], exam: ['test'] };

export interface ImportException {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}
const measuresOnCorpus =
  'the corpus of poisoned definitions is read by its test and by the program that measures on it';
const measuresInBrowser = 'one way to start the browser, for tests and for the program that measures in it';
const measuresInTerminal = 'one way to open a terminal, for tests and for the program that measures in it';
const measuresOnFixture = 'the real-sized definitions are served to scenarios and to programs that measure';
const measuresOnPostgres = 'one way to start PostgreSQL, for tests and for the programs that measure on it';
export const importExceptions: readonly ImportException[] = [
  { from: 'bench/scanner.ts', to: 'test/poison/read-corpus.ts', reason: measuresOnCorpus },
  { from: 'bench/scanner.ts', to: 'test/poison/neighbours.ts', reason: measuresOnCorpus },
  { from: 'bench/dashboard.ts', to: 'test/browser/chromium.ts', reason: measuresInBrowser },
  { from: 'bench/tui.ts', to: 'test/tui/terminal.ts', reason: measuresInTerminal },
  { from: 'bench/tokens.ts', to: 'test/kit/real-size.ts', reason: measuresOnFixture },
  { from: 'bench/start.ts', to: 'test/kit/real-size.ts', reason: measuresOnFixture },
  { from: 'bench/kit/database.ts', to: 'test/kit/postgres.ts', reason: measuresOnPostgres },
];

export interface SizeException {
  readonly path: string;
  readonly reason: string;
}
export const sizeLimits = { fileLines: 500 };
/** May only shrink. */
export const longFiles: readonly SizeException[] = [];

export const sourceFolders: readonly string[] = ['src', 'test', 'bench', 'exam', 'scripts'];

/** Parts of a name that say nothing about what is inside. */
export const emptyNames: readonly string[] = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'manager',
  'managers',
  'service',
  'services',
  'misc',
];
export const bannedFiles: readonly string[] = ['types.ts', 'index.ts'];

export interface TextRule {
  readonly pattern: RegExp;
  readonly reason: string;
  /** The scope of the check: everything, the text without comments, or code without comments and strings. */
  readonly sees: 'all' | 'uncommented' | 'code';
  /** Paths begin with one of these; everything when absent. Markdown is looked at only by rules that see all. */
  readonly only?: readonly string[];
  /** Paths that begin with one of these are exempt, each for the reason given beside it. */
  readonly except?: Readonly<Record<string, string>>;
  /** True if tests are held to it as well. */
  readonly includesTests: boolean;
}

const everywhere = { sees: 'all', includesTests: true } as const;
/** Written examples say what servers say, which is theirs to say; where they were written is nobody's business. */
const quoting = {
  'model/passages/': 'what servers say',
  'model/definitions/': 'what servers say',
  'test/poison/': 'what servers say',
} as const;
const exiting = {
  includesTests: false,
  only: ['src/'],
  except: {
    'src/main.ts': 'the one owner of exit codes',
    'src/demo/': 'stand-alone programs',
    'src/downstream/guard-process.ts': 'a program of its own that watches process trees',
  },
  reason: 'Only main ends the process; everything else throws or closes.',
} as const;
const connecting = {
  includesTests: false,
  only: ['src/'],
  except: {
    'src/downstream/': 'the folder that speaks to servers',
    'src/door/pass-on.ts': 'passes requests on to other gateways on the same database',
    'src/surfaces/cli/': 'the commands speak to the running gateway',
    'src/surfaces/stdio/': 'the bridge speaks to the running gateway',
    'src/surfaces/web/': 'the pages speak to the gateway that they came from',
    'src/base/guarded-fetch.ts': 'the one way to ask anybody else, under a dial policy',
    'src/admin/': 'the HTTP side of the admin interface speaks to the running gateway',
  },
  reason: 'Only downstream opens connections to servers.',
} as const;

export const textRules: readonly TextRule[] = [
  {
    ...everywhere,
    except: quoting,
    pattern: /\bTOD[O]\b|\bFIXM[E]\b|\bXX[X]\b|\bHAC[K]\b/,
    reason: 'Finish it or leave it out; notes to oneself are not kept in the code.',
  },
  { ...everywhere, pattern: /@ts-(?:ignor[e]|nochec[k])/, reason: 'Type errors are fixed, or expected with a reason.' },
  {
    ...everywhere,
    pattern: /(?<![\w.~-])\/(?:hom[e]|roo[t]|wor[k]|User[s])\//,
    reason: 'Paths of one machine do not belong here.',
  },
  {
    ...everywhere,
    except: quoting,
    pattern:
      /registry\.npmj[s]\.|registry\.yarnpk[g]\.|npm\.pkg\.githu[b]\.|\bpyp[i]\.org|pythonhoste[d]\.org|artifactor[y]|verdacci[o]/i,
    reason: 'Package registries are the business of whoever installs.',
  },
  {
    ...everywhere,
    pattern: /\bnp[mx] (?:i|install|add|exec|-y|--yes|-p|--package)\b[^\n'"`]*[ =]toolcrib(?:-encoder)?\b/,
    reason: 'On the public registry this name is not ours: nobody may be led there.',
  },
  {
    sees: 'code',
    includesTests: true,
    pattern: /\bas any\b/,
    reason: 'Say what the type is; parse where it is not known.',
  },
  {
    sees: 'code',
    includesTests: true,
    pattern: /\bexport\s+default\b|\bas\s+default\s*[,}]/,
    reason: 'No default exports: a thing has one name everywhere.',
  },
  {
    sees: 'code',
    includesTests: false,
    only: ['src/'],
    except: { 'src/surfaces/cli/': 'prints for people', 'src/demo/': 'stand-alone programs' },
    pattern: /\bconsole\s*\.\s*log\b/,
    reason: 'The gateway speaks through its log; stdout may be a protocol stream.',
  },
  { ...exiting, sees: 'code', pattern: /\bprocess\s*\.\s*exit\b/ },
  { ...exiting, sees: 'uncommented', pattern: /\bimport\s*\{[^}]*\bexit\b[^}]*\}\s*from\s*['"](?:node:)?process['"]/ },
  {
    ...connecting,
    sees: 'code',
    pattern:
      /(?<![.\w#])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b|\bnew\s+(?:WebSocket|EventSource)\b|\b(?:https?|http2|net|tls)\s*\.\s*(?:request|get|connect|createConnection)\s*\(/,
  },
  {
    ...connecting,
    sees: 'uncommented',
    pattern:
      /\bimport\s*\{[^}]*\b(?:request|get|connect|createConnection)\b[^}]*\}\s*from\s*['"](?:node:)?(?:https?|http2|net|tls)['"]/,
  },
  {
    sees: 'uncommented',
    includesTests: false,
    only: ['src/'],
    except: { 'src/store/': 'the folder that knows SQL' },
    pattern:
      /\bSELECT\s[^;'"`]+\sFROM\s|\bINSERT\s+INTO\s|\bDELETE\s+FROM\s|\bUPDATE\s+\w+\s+SET\s|\bCREATE\s+(?:TABLE|INDEX)\s/,
    reason: 'SQL lives in the store; others ask it in domain words.',
  },
  {
    sees: 'uncommented',
    includesTests: false,
    only: ['src/access/', 'src/door/', 'src/vault/', 'src/downstream/oauth/'],
    pattern:
      /(?<!typeof )\b(?:token|\w*Token|secret|\w*Secret|digest|password|verifier|cookie)\s*[!=]==(?!\s*(?:undefined\b|null\b|''))/,
    reason: 'Secrets are found by their hash and compared with timingSafeEqual: how long it takes must not tell.',
  },
];

export interface ModuleRule {
  readonly pattern: RegExp;
  readonly reason: string;
  readonly only: readonly string[];
  readonly except: Readonly<Record<string, string>>;
}

/** Which modules from outside the repository may be imported where. Tests are free. */
export const moduleRules: readonly ModuleRule[] = [
  {
    pattern: /^(?:node:)?child_process$/,
    only: ['src/'],
    except: {
      'src/downstream/': 'starts servers and ends their process trees',
      'src/base/spawn.ts': 'the one way to start any other process',
      'src/store/lock/process-identity.ts':
        'asks `ps` when a process began, to tell a living lock holder from a reused pid',
    },
    reason: 'Processes are started by downstream, or through base/spawn.ts.',
  },
  {
    pattern: /^undici(?:\/|$)/,
    only: ['src/'],
    except: { 'src/downstream/': 'speaks to servers' },
    reason: 'Only downstream opens connections to servers.',
  },
  {
    pattern: /^@modelcontextprotocol\//,
    only: ['src/'],
    except: {},
    reason: 'The gateway speaks the protocol itself; the SDK is for tests.',
  },
  {
    pattern: /^(?:kysely|node:sqlite|better-sqlite3|pg|postgres)(?:\/|$)/,
    only: ['src/'],
    except: { 'src/store/': 'the folder that knows SQL' },
    reason: 'Databases live in the store; others ask it in domain words.',
  },
  { pattern: /^node:/, only: ['src/surfaces/web/'], except: {}, reason: 'The web surface runs in a browser.' },
];

export const architecture = { path: 'ARCHITECTURE.md', mostLines: 250 };

/** Text in back quotes that begins with one of these names something in the repository. (`tools/call` is a method, so not tools.) */
export const documentedFolders: readonly string[] = [
  'src',
  'test',
  'bench',
  'exam',
  'scripts',
  'docs',
  'examples',
  'model',
  'bin',
];
