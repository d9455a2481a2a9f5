/** The agents whose config files we know, one row each: paths, format, where the servers are inside, and the form of an entry. */

import {
  type AgentMachine,
  inApplicationData,
  inConfig,
  inFolderOf,
  inHome,
  inProject,
  type MachinePath,
  onWindows,
} from './agent-machine.ts';
import {
  codexEntry,
  continueEntry,
  type EntryShape,
  gooseEntry,
  openCodeEntry,
  standardEntry,
  zedEntry,
} from './entry-shapes.ts';
import { type Notation, notations } from './references.ts';

export const agentIds = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'zed',
  'windsurf',
  'cline',
  'continue',
  'goose',
  'opencode',
  'lmstudio',
] as const;
export type AgentId = (typeof agentIds)[number];

/** `user`: for every project. `project`: in the project, which people share. `local`: for one project, and not shared. */
export type AgentScope = 'user' | 'project' | 'local';
export type FileFormat = 'jsonc' | 'toml' | 'yaml';

export interface AgentFile {
  readonly scope: AgentScope;
  readonly path: MachinePath;
  readonly format: FileFormat;
  /** The way to the servers inside the file. */
  servers(machine: AgentMachine): readonly string[];
  /** The servers are a list whose members have a `name`; otherwise an object by name. */
  readonly isList: boolean;
  /** The way to a list of names of servers that are switched off. */
  disabled?(machine: AgentMachine): readonly string[];
}

export interface Agent {
  readonly title: string;
  /** Of several files of one scope, the first that is there counts for writing; all are read. */
  readonly files: readonly AgentFile[];
  readonly entry: EntryShape;
  /** How values refer to variables. */
  readonly notation: Notation;
  /**
   * It loads the definitions of tools only when it needs them, and hears when the list changes, so it gets every tool instead of
   * a search. Names with dots are no trouble: it renames tools by itself. All others get names without a dot, because some refuse
   * one (docs/decisions/0019-names-with-dots.md).
   */
  readonly defersTools?: boolean;
}

type FileOptions = Partial<Pick<AgentFile, 'format' | 'isList' | 'disabled'>>;

function fileOf(
  scope: AgentScope,
  path: MachinePath,
  servers: readonly string[],
  options: FileOptions = {},
): AgentFile {
  return { scope, path, servers: () => servers, format: 'jsonc', isList: false, ...options };
}

const usual = ['mcpServers'];
const claudeFile = inFolderOf('CLAUDE_CONFIG_DIR', ['.claude.json'], inHome('.claude.json'));
const openCodeFiles: readonly (readonly [AgentScope, MachinePath])[] = [
  ['user', inConfig('opencode', 'opencode.jsonc')],
  ['user', inConfig('opencode', 'opencode.json')],
  ['project', inProject('opencode.jsonc')],
  ['project', inProject('opencode.json')],
];
const clineFile = ['saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'];

export const agents: Readonly<Record<AgentId, Agent>> = {
  'claude-code': {
    title: 'Claude Code',
    files: [
      fileOf('user', claudeFile, usual),
      fileOf('project', inProject('.mcp.json'), usual),
      {
        ...fileOf('local', claudeFile, usual),
        servers: ({ cwd }) => ['projects', cwd, 'mcpServers'],
        disabled: ({ cwd }) => ['projects', cwd, 'disabledMcpServers'],
      },
    ],
    entry: standardEntry({ httpType: 'http' }),
    notation: notations.shell,
    defersTools: true,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    files: [fileOf('user', inApplicationData('Claude', 'claude_desktop_config.json'), usual)],
    entry: standardEntry({ canReachUrl: false }),
    notation: notations.none,
  },
  cursor: {
    title: 'Cursor',
    files: [
      fileOf('user', inHome('.cursor', 'mcp.json'), usual),
      fileOf('project', inProject('.cursor', 'mcp.json'), usual),
    ],
    entry: standardEntry({}),
    notation: notations.editor,
  },
  vscode: {
    title: 'VS Code',
    files: [
      fileOf('user', inApplicationData('Code', 'User', 'mcp.json'), ['servers']),
      fileOf('user', inApplicationData('Code - Insiders', 'User', 'mcp.json'), ['servers']),
      fileOf('user', inApplicationData('VSCodium', 'User', 'mcp.json'), ['servers']),
      fileOf('project', inProject('.vscode', 'mcp.json'), ['servers']),
    ],
    entry: standardEntry({ httpType: 'http' }),
    notation: notations.editor,
    defersTools: true,
  },
  codex: {
    title: 'Codex',
    files: [
      fileOf('user', inFolderOf('CODEX_HOME', ['config.toml'], inHome('.codex', 'config.toml')), ['mcp_servers'], {
        format: 'toml',
      }),
      fileOf('project', inProject('.codex', 'config.toml'), ['mcp_servers'], { format: 'toml' }),
    ],
    entry: codexEntry,
    notation: notations.none,
  },
  gemini: {
    title: 'Gemini CLI',
    files: [
      fileOf('user', inHome('.gemini', 'settings.json'), usual, { disabled: () => ['mcp', 'excluded'] }),
      fileOf('project', inProject('.gemini', 'settings.json'), usual, { disabled: () => ['mcp', 'excluded'] }),
    ],
    entry: standardEntry({ urlKey: 'httpUrl' }),
    notation: notations.dollar,
  },
  zed: {
    title: 'Zed',
    files: [
      fileOf('user', onWindows(['Zed', 'settings.json'], inConfig('zed', 'settings.json')), ['context_servers']),
      fileOf('project', inProject('.zed', 'settings.json'), ['context_servers']),
    ],
    entry: zedEntry,
    notation: notations.none,
  },
  windsurf: {
    title: 'Windsurf',
    files: [fileOf('user', inHome('.codeium', 'windsurf', 'mcp_config.json'), usual)],
    entry: standardEntry({ urlKey: 'serverUrl' }),
    notation: notations.editor,
  },
  cline: {
    title: 'Cline',
    files: [
      fileOf('user', inApplicationData('Code', 'User', 'globalStorage', ...clineFile), usual),
      fileOf('user', inHome('.cline', 'data', 'settings', 'cline_mcp_settings.json'), usual),
    ],
    entry: standardEntry({ httpType: 'streamableHttp', isUrlSse: true }),
    notation: notations.editor,
  },
  continue: {
    title: 'Continue',
    files: [fileOf('user', inHome('.continue', 'config.yaml'), usual, { format: 'yaml', isList: true })],
    entry: continueEntry,
    notation: notations.template,
  },
  goose: {
    title: 'Goose',
    files: [
      fileOf(
        'user',
        onWindows(['Block', 'goose', 'config', 'config.yaml'], inConfig('goose', 'config.yaml')),
        ['extensions'],
        { format: 'yaml' },
      ),
    ],
    entry: gooseEntry,
    notation: notations.dollar,
  },
  opencode: {
    title: 'opencode',
    // Its second version keeps the servers one level deeper.
    files: [['mcp'], ['mcp', 'servers']].flatMap((servers) =>
      openCodeFiles.map(([scope, path]) => fileOf(scope, path, servers)),
    ),
    entry: openCodeEntry,
    notation: notations.braces,
  },
  lmstudio: {
    title: 'LM Studio',
    files: [fileOf('user', inHome('.lmstudio', 'mcp.json'), usual)],
    entry: standardEntry({}),
    notation: notations.editor,
  },
};
