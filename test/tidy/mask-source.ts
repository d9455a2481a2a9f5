/** Blanks out comments, strings, templates and regular expressions, so that what remains can be searched as code. Lengths and lines stay. */

export interface Masked {
  /** Without comments. */
  readonly uncommented: string;
  /** Without comments and without what stands inside quotes; the quotes themselves stay. */
  readonly code: string;
}

interface Span {
  readonly kind: 'comment' | 'quoted' | 'template' | 'regex';
  readonly start: number;
  readonly end: number;
}

/** Several rules look at the same file. */
const known = new Map<string, Masked>();

export function maskSource(text: string): Masked {
  const masked = known.get(text) ?? masking(text);
  known.set(text, masked);
  return masked;
}

function masking(text: string): Masked {
  const spans = spansOf(text);
  return {
    uncommented: blanked(
      text,
      spans.filter((span) => span.kind === 'comment'),
    ),
    code: blanked(text, spans),
  };
}

function blanked(text: string, spans: readonly Span[]): string {
  let out = '';
  let end = 0;
  for (const span of spans) {
    const inner = text.slice(span.start, span.end).replace(/[^\n]/g, ' ');
    out += text.slice(end, span.start) + withQuotes(text, span, inner);
    end = span.end;
  }
  return out + text.slice(end);
}

/** Quotes mark where a string stands; one mark stands for a regular expression or template, since both are values. */
function withQuotes(text: string, span: Span, inner: string): string {
  const first = text[span.start] ?? '';
  if (span.kind === 'comment' || first === '}') return inner;
  if (span.kind === 'quoted') return first + inner.slice(1, -1) + first;
  return (span.kind === 'regex' ? '0' : '`') + inner.slice(1);
}

function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  /** For each template being read: how many braces are open inside its current `${`. */
  const openBraces: number[] = [];
  let codeEnd = 0;
  for (let at = 0; at < text.length; ) {
    const span = spanAt(text, at, codeEnd, openBraces.at(-1) === 0);
    const end = span?.end ?? at + 1;
    if (span === undefined) countBrace(text[at] ?? '', openBraces);
    else spans.push(span);
    if (span?.kind === 'template') {
      if (text[at] === '}') openBraces.pop();
      if (text.startsWith('${', end - 2)) openBraces.push(0);
    }
    if (span?.kind !== 'comment' && !isSpace(text, at)) codeEnd = end;
    at = end;
  }
  return spans;
}

function spanAt(text: string, start: number, codeEnd: number, isTemplateResumed: boolean): Span | undefined {
  const first = text[start] ?? '';
  if (!starts.has(first)) return undefined;
  if (text.startsWith('//', start)) return { kind: 'comment', start, end: orEnd(text, text.indexOf('\n', start)) };
  if (text.startsWith('/*', start))
    return { kind: 'comment', start, end: orEnd(text, text.indexOf('*/', start + 2) + 1) + 1 };
  if (first === "'" || first === '"') return { kind: 'quoted', start, end: endOf(text, start, [first, '\n']) };
  if (first === '`' || (first === '}' && isTemplateResumed))
    return { kind: 'template', start, end: endOf(text, start, ['`', '${']) };
  if (first === '/' && isRegexPlace(text.slice(Math.max(0, codeEnd - 12), codeEnd)))
    return { kind: 'regex', start, end: endOfRegex(text, start) };
  return undefined;
}

/** What begins a span. */
const starts: ReadonlySet<string> = new Set(['/', "'", '"', '`', '}']);

export function isSpace(text: string, at: number): boolean {
  const character = text[at] ?? '';
  return character <= ' ' || (character > '~' && character.trim() === '');
}

function orEnd(text: string, index: number): number {
  return index <= 0 ? text.length : index;
}

/** Just after the first of `closings` behind `start` that no backslash escapes. */
function endOf(text: string, start: number, closings: readonly string[]): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else for (const closing of closings) if (text.startsWith(closing, at)) return at + closing.length;
  }
  return text.length;
}

function endOfRegex(text: string, start: number): number {
  let isInClass = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '\n') return at;
    else if (character === '[') isInClass = true;
    else if (character === ']') isInClass = false;
    else if (character === '/' && !isInClass) return at + 1;
  }
  return text.length;
}

/** After a value a slash divides; after an operator, a bracket or a keyword it begins a regular expression. */
function isRegexPlace(before: string): boolean {
  if (/(?:^|[^\w$.])(?:return|typeof|case|in|of|void|delete|throw|new|else|do|await|yield)$/.test(before)) return true;
  return !/[\w$)\]'"`]$/.test(before);
}

function countBrace(character: string, openBraces: number[]): void {
  const top = openBraces.length - 1;
  if (top < 0) return;
  if (character === '{') openBraces[top] = (openBraces[top] ?? 0) + 1;
  if (character === '}') openBraces[top] = (openBraces[top] ?? 0) - 1;
}
