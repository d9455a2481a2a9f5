/** Finds the mutants of a source, without its types: changes of single tokens or statements that a test should notice. */

import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';
import {
  type AnyNode,
  type AssignmentExpression,
  type BinaryExpression,
  type LogicalExpression,
  type Node,
  parse,
} from 'acorn';

export interface Mutant {
  /** Made from the line's text, so that changes elsewhere in the file keep it. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The text between `start` and `end`, and its replacement. */
  readonly before: string;
  readonly after: string;
}

type Change = Pick<Mutant, 'start' | 'end' | 'after'>;

/** Nobody tests that a limit of 5,000 is not 5,001. */
const largestNumber = 100;

const operators: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>'],
  '<=': ['<'],
  '>': ['>=', '<'],
  '>=': ['>'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&', '??'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['='],
};
const methods: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' };

export function findMutants(file: string, source: string): Mutant[] {
  // Types become spaces, so that every position stays.
  const code = stripTypeScriptTypes(source);
  const changes: Change[] = [];
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), [], (node, parents) => {
    changes.push(...changesAt(node, parents, code));
  });
  const seen = new Map<string, number>();
  return changes.map((change) => {
    const lineStart = source.lastIndexOf('\n', change.start - 1) + 1;
    const text = source.slice(lineStart, source.indexOf('\n', change.start));
    const key = JSON.stringify([file, text.trim(), change.start - lineStart, change.end - change.start, change.after]);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return {
      ...change,
      id: createHash('sha256')
        .update(`${key}${seen.get(key)}`)
        .digest('hex')
        .slice(0, 16),
      file,
      line: source.slice(0, change.start).split('\n').length,
      before: source.slice(change.start, change.end),
    };
  });
}

/** False if the mutant does not parse. */
export function canRun(text: string): boolean {
  try {
    parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module' });
    return true;
  } catch {
    return false;
  }
}

function visit(
  node: Node,
  parents: readonly AnyNode[],
  see: (node: AnyNode, parents: readonly AnyNode[]) => void,
): void {
  const known = node as AnyNode; // the parser makes no other kinds
  see(known, parents);
  for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, [...parents, known], see);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function changesAt(node: AnyNode, parents: readonly AnyNode[], code: string): Change[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return changesOfOperator(node, code);
    case 'UnaryExpression':
      return ['!', '-'].includes(node.operator) ? [{ start: node.start, end: node.start + 1, after: '' }] : [];
    case 'AwaitExpression':
      return [{ start: node.start, end: node.start + 'await'.length, after: '' }];
    case 'ConditionalExpression':
      return [{ ...spanOf(node.test), after: `!(${code.slice(node.test.start, node.test.end)})` }];
    case 'Literal':
      return changesOfLiteral(node.value, node.raw ?? '').map((after) => ({ ...spanOf(node), after }));
    case 'CallExpression':
      return changesOfMethod(node.callee);
    case 'ReturnStatement':
    case 'ThrowStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
    case 'ExpressionStatement':
      return isWorthRemoving(node, parents, code) ? [{ ...spanOf(node), after: ';' }] : [];
    default:
      return [];
  }
}

function spanOf({ start, end }: Node): Pick<Change, 'start' | 'end'> {
  return { start, end };
}

/** `+` that joins texts has no opposite. */
function isText(node: AnyNode): boolean {
  if (node.type === 'BinaryExpression') return node.operator === '+' && (isText(node.left) || isText(node.right));
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function changesOfOperator(node: BinaryExpression | LogicalExpression | AssignmentExpression, code: string): Change[] {
  if (isText(node.left) || isText(node.right)) return [];
  const between = code.slice(node.left.end, node.right.start);
  const start = node.left.end + between.indexOf(node.operator);
  const end = start + node.operator.length;
  const after = node.operator === '??' ? [insteadOfMissing(node.right, code)] : (operators[node.operator] ?? []);
  return after.map((operator) => ({ start, end, after: operator }));
}

/** With a list, an object or an empty value on the right, `||` would mean the same. */
function insteadOfMissing(right: Node, code: string): string {
  return /^(?:\[|\{|\(\{|''|0$|false|undefined|null|new )/.test(code.slice(right.start, right.end)) ? '&&' : '||';
}

function changesOfLiteral(value: unknown, raw: string): string[] {
  if (typeof value === 'boolean') return [String(!value)];
  if (typeof value !== 'number' || value > largestNumber || !/^\d+$/.test(raw)) return [];
  return value === 0 ? ['1'] : [String(value + 1), String(value - 1)];
}

function changesOfMethod(callee: AnyNode): Change[] {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  const after = Object.hasOwn(methods, callee.property.name) ? methods[callee.property.name] : undefined;
  return after === undefined ? [] : [{ ...spanOf(callee.property), after }];
}

/** Excludes the last return of a function, assignments in a constructor, and lines to the debug log. */
function isWorthRemoving(node: AnyNode, parents: readonly AnyNode[], code: string): boolean {
  const parent = parents.at(-1);
  if (node.type === 'ReturnStatement')
    return parent?.type !== 'BlockStatement' || !isFunction(parents.at(-2)) || parent.body.at(-1) !== node;
  if (node.type === 'BreakStatement') return parent?.type !== 'SwitchCase';
  if (node.type !== 'ExpressionStatement') return true;
  const isBuilding = parents.some(
    ({ type, ...one }) => type === 'MethodDefinition' && 'kind' in one && one.kind === 'constructor',
  );
  return !isBuilding && !('directive' in node) && !/\blog\.debug\(/.test(code.slice(node.start, node.end));
}

function isFunction(node: AnyNode | undefined): boolean {
  return node !== undefined && /Function/.test(node.type);
}
