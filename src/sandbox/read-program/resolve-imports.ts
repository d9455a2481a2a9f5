/** Resolves import lines: those of servers and of our own names become declarations, all others are mistakes. */

import { outlineOf, type SyntaxMistake } from './parse-code.ts';

const ourNames = new Set(
  'servers tools mcp call search info types keep load sleep console tool_discovery tool_execute tool_info'.split(' '),
);
const importHint =
  'Nothing can be imported: tools are under `servers`, for example await servers.github.create_issue({ … }). Delete the line.';

const longestHead = 1_000;
/** An import that is neither a call nor `import.meta`, or an export of something from elsewhere. */
const needsModule = /^(?:import(?!\s*[(.])|export\s*(?:type\s*)?(?:\{[^}]*\}|\*[^;\n]*?)\s*from(?![\w$]))/;
const importLine = /import\b(?:([^'"]*?)\bfrom\b)?[^'"\w]*(['"])([^'"\n]*)\2(?:[ \t]*with[ \t]*\{[^}]*\})?[ \t]*;?/y;

export interface ImportReading {
  readonly code: string;
  readonly mistake?: SyntaxMistake & { readonly hint: string };
}

/** The code with its imports resolved; line for line as it was. */
export function resolveImports(code: string): ImportReading {
  if (!/(?<![\w$.])(?:import|export)(?![\w$])/.test(code)) return { code };
  let resolved = '';
  let from = 0;
  for (const at of outlineOf(code).moduleWords) {
    if (!needsModule.test(code.slice(at, at + longestHead))) continue;
    importLine.lastIndex = at;
    const statement = importLine.exec(code);
    const meant = statement === null ? undefined : meaningOf(statement[1] ?? '', statement[3] ?? '');
    if (statement === null || meant === undefined) return { code, mistake: mistakeAt(code, at) };
    resolved += code.slice(from, at) + meant + statement[0].replace(/[^\n]/g, '');
    from = at + statement[0].length;
  }
  return { code: resolved + code.slice(from) };
}

/** The declarations that an import stands for; undefined if it stands for nothing here. */
function meaningOf(clause: string, specifier: string): string | undefined {
  if (/^\s*type\s*[\w{*]/.test(clause)) return '';
  const names = namesIn(clause);
  const path = /(?:^|\/)(?:servers|tools|mcp)\/([\w.-]+?)(?:\/([\w.-]+?))?(?:\.[jt]s)?$/.exec(specifier);
  if (path === null) return names.length > 0 && names.every(({ name }) => ourNames.has(name)) ? '' : undefined;
  const server = `servers[${JSON.stringify(path[1])}]`;
  const tool = path[2] === undefined || path[2] === 'index' ? '' : `[${JSON.stringify(path[2])}]`;
  const whole = names.filter((one) => one.kind === 'whole').map(({ as }) => `const ${as} = ${server}${tool};`);
  const picked = names.filter((one) => one.kind === 'picked').map(({ name, as }) => `const ${as} = ${server}.${name};`);
  return [...whole, ...picked].join(' ');
}

interface ImportedName {
  readonly kind: 'whole' | 'picked';
  readonly name: string;
  readonly as: string;
}

function namesIn(clause: string): ImportedName[] {
  const found: ImportedName[] = [];
  const braces = /\{([^}]*)\}/.exec(clause);
  for (const part of (braces?.[1] ?? '').split(',')) {
    const picked = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part);
    if (picked !== null) found.push({ kind: 'picked', name: picked[1] ?? '', as: picked[2] ?? picked[1] ?? '' });
  }
  for (const part of clause.replace(/\{[^}]*\}/, '').split(',')) {
    const whole = /^\s*(?:\*\s*as\s+)?([\w$]+)\s*$/.exec(part);
    if (whole !== null) found.push({ kind: 'whole', name: whole[1] ?? '', as: whole[1] ?? '' });
  }
  return found;
}

function mistakeAt(code: string, at: number): NonNullable<ImportReading['mistake']> {
  const before = code.slice(0, at).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return { message: 'There are no modules to import here', line: before.length, column, hint: importHint };
}
