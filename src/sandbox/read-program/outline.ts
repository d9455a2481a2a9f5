/** The outline of a program without a parser: what is code and what is text, what stands at the top, where functions begin and end. */

export interface Outline {
  /** The code with texts, comments and regular expressions blanked; same length, same lines. */
  readonly masked: string;
  /** Whether there is a `return` outside every function. */
  readonly hasReturn: boolean;
  /** Names of the functions that stand at the top. */
  readonly functions: readonly string[];
  /** The masked code with everything inside brackets blanked as well. */
  readonly top: string;
  /** The same with each stretch of space as one sign, a line break where it held one: cheap to search. */
  readonly squeezed: string;
  /** How deep brackets are nested. */
  readonly depth: number;
}

export function outlineOf(code: string): Outline {
  const masked = maskCode(code);
  const { hasReturn, top, depth } = walk(masked);
  const squeezed = top.replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' '));
  return { masked, hasReturn, top, depth, squeezed, functions: functionsIn(squeezed) };
}

/** Names as they are written at the top, with what makes each of them a function. */
const namedFunction =
  /(?<![\w$.])(?:(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)|(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\(\s*\)\s*=>|[\w$]+\s*=>))/g;

function functionsIn(squeezed: string): string[] {
  return [...squeezed.matchAll(namedFunction)].map((match) => match[1] ?? match[2] ?? '');
}

/** One pass over the brackets: what is at the top, and whether a `return` belongs to no function. */
function walk(masked: string): { hasReturn: boolean; top: string; depth: number } {
  const open: { readonly isFunction: boolean; readonly from: number }[] = [];
  let functions = 0;
  let hasReturn = false;
  let depth = 0;
  let top = '';
  let shownTo = 0;
  /** The round brackets that closed last. */
  let closed = { from: -1, at: -1 };
  const token = /[{}()[\]]|(?<![\w$.])return(?![\w$])(?!\s*:)/g;
  for (let match = token.exec(masked); match !== null; match = token.exec(masked)) {
    const at = match.index;
    if (match[0] === 'return') hasReturn ||= functions === 0;
    else if ('{(['.includes(match[0])) {
      const isFunction = match[0] === '{' && opensFunction(masked, at, closed);
      if (open.length === 0) top += masked.slice(shownTo, at + 1);
      if (isFunction) functions += 1;
      open.push({ isFunction, from: at });
      depth = Math.max(depth, open.length);
    } else {
      const opened = open.pop();
      if (opened?.isFunction) functions -= 1;
      if (match[0] === ')' && opened !== undefined) closed = { from: opened.from, at };
      if (opened === undefined || open.length > 0) continue;
      top += masked.slice(opened.from + 1, at).replace(/[^\n]/g, ' ');
      shownTo = at;
    }
  }
  return { hasReturn, top: open.length === 0 ? top + masked.slice(shownTo) : top, depth };
}

const blockWords = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'await']);

function opensFunction(masked: string, brace: number, closed: { readonly from: number; readonly at: number }): boolean {
  const last = lastBefore(masked, brace);
  if (masked[last] === '>' && masked[last - 1] === '=') return true;
  return last === closed.at && !blockWords.has(wordBefore(masked, closed.from));
}

function lastBefore(text: string, at: number): number {
  let index = at - 1;
  while (index >= 0 && /\s/.test(text[index] ?? '')) index -= 1;
  return index;
}

/** The word that ends before `at`, with space between. */
function wordBefore(text: string, at: number): string {
  const end = lastBefore(text, at) + 1;
  let start = end;
  while (start > 0 && /[\w$]/.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start, end);
}

/** Texts keep their quotes and regular expressions become a 0, so that what remains reads as values. */
function maskCode(code: string): string {
  const parts: string[] = [];
  /** For each template that is open: how many braces are open in its current expression. */
  const templates: number[] = [];
  let from = 0;
  let lastCode = -1;
  const hide = (start: number, end: number, mark: string) => {
    parts.push(code.slice(from, start), mark, code.slice(start + mark.length, end).replace(/[^\n]/g, ' '));
    from = end;
    if (mark !== '') lastCode = start;
    return end;
  };
  for (let at = 0; at < code.length; ) {
    const sign = code[at] ?? '';
    const open = templates.at(-1);
    if (sign === '/' && code[at + 1] === '/') at = hide(at, endOfLine(code, at), '');
    else if (sign === '/' && code[at + 1] === '*') at = hide(at, endAfter(code, '*/', at + 2), '');
    else if (sign === '"' || sign === "'") at = hide(at, endOfText(code, at, sign), sign);
    else if (sign === '/' && beginsRegex(code, lastCode)) at = hide(at, endOfRegex(code, at), '0');
    else if (sign === '`' || (sign === '}' && open === 0)) {
      if (sign === '}') templates.pop();
      const end = endOfTemplate(code, at + 1);
      if (code[end - 1] === '{') templates.push(0);
      at = hide(at, end, '`');
    } else {
      if (open !== undefined && sign === '{') templates[templates.length - 1] = open + 1;
      if (open !== undefined && sign === '}') templates[templates.length - 1] = open - 1;
      if (!/\s/.test(sign)) lastCode = at;
      at += 1;
    }
  }
  return parts.join('') + code.slice(from);
}

function endOfLine(code: string, at: number): number {
  const end = code.indexOf('\n', at);
  return end === -1 ? code.length : end;
}

function endAfter(code: string, what: string, at: number): number {
  const end = code.indexOf(what, at);
  return end === -1 ? code.length : end + what.length;
}

function endOfText(code: string, start: number, quote: string): number {
  for (let at = start + 1; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code[at] === quote) return at + 1;
    else if (code[at] === '\n') return at;
  }
  return code.length;
}

/** The end of the part of a template that begins at `at`: after its closing mark, or after the `${` of its next expression. */
function endOfTemplate(code: string, start: number): number {
  for (let at = start; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code[at] === '`') return at + 1;
    else if (code[at] === '$' && code[at + 1] === '{') return at + 2;
  }
  return code.length;
}

function endOfRegex(code: string, start: number): number {
  let isInClass = false;
  for (let at = start + 1; at < code.length; at += 1) {
    const sign = code[at];
    if (sign === '\n') return at;
    if (sign === '\\') at += 1;
    else if (sign === '[') isInClass = true;
    else if (sign === ']') isInClass = false;
    else if (sign === '/' && !isInClass) return at + 1;
  }
  return code.length;
}

const wordsBeforeValues =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield|instanceof)$/;

/** A slash divides where a value has just ended. */
function beginsRegex(code: string, last: number): boolean {
  if (last < 0) return true;
  if (/[\w$]/.test(code[last] ?? '')) return wordsBeforeValues.test(code.slice(Math.max(0, last - 12), last + 1));
  return !')]}"\'`'.includes(code[last] ?? '');
}
