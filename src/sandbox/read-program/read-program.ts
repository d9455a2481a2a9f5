/** Turns the code that a model wrote into a program that can be run. Code is parsed to see its kind, and never run to find out. */

import type { Program, ProgramMistake } from '../guest-contract.ts';
import {
  expressionIn,
  mistakeIn,
  nodesIn,
  outlineOf,
  parseCode,
  parseModule,
  type SyntaxMistake,
  type SyntaxTree,
  tooDeep,
  withoutTypes,
} from './parse-code.ts';
import { endingOf, isFunction } from './program-ending.ts';
import { readJson, referenceIn } from './read-json.ts';
import { resolveImports } from './resolve-imports.ts';
import { excerptOf, syntaxHint } from './show-mistake.ts';
import { beginsFenced, repairs, withoutFences, withoutLabels, withoutTags } from './unwrap.ts';

type Mistake = SyntaxMistake & { readonly hint?: string };
type Reading = Program | { readonly mistake: Mistake };

const deepestWrapping = 3;

export function readProgram(code: string): Program | ProgramMistake {
  return read(withoutLabels(code), [], 0);
}

/** JSON first, because it is JavaScript as well; then code as it stands; then code with what was around it taken away. */
function read(text: string, notes: readonly string[], depth: number): Program | ProgramMistake {
  // Only a text that begins with a comment, or has nothing in it, can be without code.
  if (/^\s*(?:\/[/*]|$)/.test(text) && outlineOf(text).isEmpty) return failed({ message: 'There is no code' }, text);
  const json = readJson(text);
  if (json !== undefined && 'calls' in json) return callsProgram(json.calls, notes, text);
  if (json !== undefined && depth < deepestWrapping)
    return read(withoutLabels(json.code), [...notes, 'The code was taken out of JSON.'], depth + 1);
  const bare = beginsFenced(text) ? (withoutFences(text) ?? text) : (withoutTags(text) ?? text);
  if (bare !== text && depth < deepestWrapping) return read(bare, notes, depth + 1);
  const reading = readCode(text);
  if (!('mistake' in reading)) return { ...reading, notes: [...notes, ...reading.notes] };
  if (reading.mistake.isFatal) return failed(reading.mistake, text);
  const block = withoutFences(text);
  if (block !== undefined && depth < deepestWrapping)
    return read(block, [...notes, 'The text around the code was left out.'], depth + 1);
  for (const repair of repairs) {
    const repaired = repair.apply(text);
    const second = repaired === text ? undefined : readCode(repaired);
    if (second !== undefined && !('mistake' in second))
      return { ...second, notes: [...notes, repair.note, ...second.notes] };
  }
  return failed(reading.mistake, text);
}

function callsProgram(calls: readonly unknown[], notes: readonly string[], text: string): Program | ProgramMistake {
  const reference = referenceIn(calls);
  if (reference !== undefined) {
    const hint = 'Write a program: const a = await servers.NAME.TOOL({…}); and then use a.member in the next call.';
    return failed({ message: `Calls in JSON cannot use each other's results, as ${reference} would`, hint }, text);
  }
  const note = calls.length === 1 ? 'The JSON was read as a call.' : 'The JSON was read as calls, one after the other.';
  return { source: JSON.stringify(calls), mode: 'calls', firstLine: 1, language: 'js', notes: [...notes, note] };
}

/** The mistakes of JavaScript at a type. */
const atType = /^Unexpected|^[Mm]issing|^Malformed|^Invalid (?!or)/;

/** JavaScript where it is JavaScript, otherwise TypeScript; where it met a type, a mistake further down is the real one. */
function readCode(text: string): Reading {
  const imports = resolveImports(text);
  if (imports.mistake !== undefined) return { mistake: imports.mistake };
  const plain = readForms(imports.code, 'js', imports.code);
  if (!('mistake' in plain) || plain.mistake === tooDeep) return plain;
  const typed = readTyped(imports.code);
  if (!('mistake' in typed)) return { ...typed, notes: ['The code was read as TypeScript.', ...typed.notes] };
  if (typed.mistake.isFatal || typed.mistake.isUnsupported) return typed;
  const isFurther = (typed.mistake.line ?? 0) > (plain.mistake.line ?? 0) && atType.test(plain.mistake.message);
  return isFurther ? typed : plain;
}

function readTyped(text: string): Reading {
  const { depth } = outlineOf(text);
  const asIs = withoutTypes(text, depth);
  if ('code' in asIs) return readForms(asIs.code, 'ts', text);
  if (asIs.mistake.isFatal) return { mistake: asIs.mistake };
  // A function without a name is an expression, which as a statement does not parse.
  const wrapped = withoutTypes(`(\n${trimmedEnd(text)}\n)`, depth);
  if (!('code' in wrapped)) return { mistake: asIs.mistake };
  return readForms(wrapped.code.slice(2, -2), 'ts', text);
}

/** The shapes that one text can be meant in: statements, or one expression. */
function readForms(code: string, language: 'js' | 'ts', text: string): Reading {
  const kept = { language, notes: [], ...(text !== code && { text }) };
  const inside = trimmedEnd(code);
  const expression: Program = { ...kept, source: `(\n${inside}\n)`, mode: 'script', firstLine: 2 };
  // An object would be read as a block.
  if (/^\s*(?:\/\/[^\n]*\n\s*)*\{/.test(code) && expressionIn(inside)) return expression;
  const { statements, isModule } = withoutExports(code);
  const tree = isModule ? parseModule(code) : parseCode(statements);
  if (!('error' in tree)) {
    const form = isModule ? { source: code, mode: 'module' as const } : asStatements(statements, tree);
    return { ...kept, firstLine: 1, ...form };
  }
  if (!isModule && expressionIn(inside)) return expression;
  return isMethod(inside)
    ? { ...expression, source: `({\n${inside}\n})` }
    : { mistake: mistakeIn(statements, tree.error) };
}

/** Without spaces and semicolons at its end. */
function trimmedEnd(code: string): string {
  let end = code.length;
  while (end > 0 && /[\s;]/.test(code[end - 1] ?? '')) end -= 1;
  return code.slice(0, end);
}

function isMethod(code: string): boolean {
  const object = expressionIn(code, '({', '})');
  const [only, next] = object?.type === 'ObjectExpression' ? object.properties : [];
  return next === undefined && only?.type === 'Property' && only.method;
}

function asStatements(code: string, tree: SyntaxTree): Pick<Program, 'source' | 'mode' | 'resultNote'> {
  for (const { type } of nodesIn(tree.statements, isFunction))
    if (type === 'ReturnStatement') return { source: code, mode: 'body' };
  const { added, ...told } = endingOf(tree);
  return { source: code + added, mode: 'script', ...told };
}

/** The code with its exports blanked, as V8 compiles it; a module only where something is exported. */
function withoutExports(code: string): { statements: string; isModule: boolean } {
  if (!/(?<![\w$.])export(?![\w$])/.test(code)) return { statements: code, isModule: false };
  let statements = '';
  let from = 0;
  let isModule = false;
  for (const at of outlineOf(code).moduleWords) {
    const word = /export(?:\s+default(?![\w$])|\s*\{[^}]*\}|(?![\w$]))/y;
    word.lastIndex = at;
    const [whole] = word.exec(code) ?? [''];
    const blank = whole.replace(/[^\n]/g, ' ');
    // An assignment takes whatever can be exported.
    const instead = /default$/.test(whole) ? `$ =${blank.slice(3)}` : blank;
    isModule ||= whole !== '' && !/^export\s*\{\s*\}$/.test(whole);
    statements += code.slice(from, at) + instead;
    from = at + whole.length;
  }
  return { statements: statements + code.slice(from), isModule };
}

function failed(mistake: Mistake, text: string): ProgramMistake {
  const { line, column, isFatal } = mistake;
  const excerpt = line === undefined ? undefined : excerptOf(text.split('\n')[line - 1] ?? '', column);
  const hint = mistake.hint ?? syntaxHint(mistake.message, excerpt ?? '', text);
  const message = /[.!?]$/.test(mistake.message) ? mistake.message : `${mistake.message}.`;
  return {
    failure: {
      reason: isFatal ? 'crashed' : 'syntax',
      name: 'SyntaxError',
      message,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
      ...(excerpt && { excerpt }),
      ...(hint !== undefined && { hint }),
    },
  };
}
