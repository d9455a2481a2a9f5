/** Finds the statement to add behind a program that does not return, so that it gives the result its author meant. */

import type { AnyNode, Expression, MemberExpression, VariableDeclarator } from 'acorn';
import { entryNames } from '../guest-prelude/finish.ts';
import { nodesIn, type SyntaxTree } from './parse-code.ts';

export interface Ending {
  readonly added: string;
  /** Why the result is what it is. */
  readonly resultNote?: string;
}

type Statement = SyntaxTree['statements'][number];

/** A function that nobody calls is given, and so called; a last declaration gives its value; a loop gives no accidental one. */
export function endingOf(tree: SyntaxTree): Ending {
  const { statements } = tree;
  const functions = statements.flatMap(functionNames);
  const entry = uncalledFunction(tree, functions);
  if (entry !== undefined) return { added: `\n;${entry}` };
  const last = statements.findLast((one) => one.type !== 'EmptyStatement');
  if (last === undefined) return { added: '' };
  const declared = declarators(last).findLast(({ init }) => init)?.name;
  if (declared !== undefined && functions.includes(declared)) return { added: `\n;${declared}` };
  if (declared !== undefined) return given(declared, 'its declaration is the end of the program');
  const own = statements.flatMap(declarators).filter(({ init }) => init);
  const changed = changedName(last);
  if (own.some(({ name }) => name === changed)) return given(changed, 'the program ends with a change of it');
  if (!loops.has(last.type)) return { added: '' };
  const filled = own.findLast(({ name }) => resultName.test(name)) ?? own.findLast(({ init }) => isCollection(init));
  // The value of a loop is that of its last statement, such as the new length of a list: never what was meant.
  return filled === undefined ? { added: '\n;undefined' } : given(filled.name, 'the program ends with a loop');
}

const loops = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']);
const resultName = /^(?:results?|output|out|answer|summary|report)$/;

function given(name: string | undefined, why: string): Ending {
  return {
    added: `\n;${name}`,
    resultNote: `The result is \`${name}\`, because ${why}; write \`return ${name}\` to make that explicit.`,
  };
}

interface Declared {
  readonly name: string;
  readonly init: VariableDeclarator['init'];
}

/** The variables that a statement declares by a plain name. */
function declarators(statement: Statement): Declared[] {
  if (statement.type !== 'VariableDeclaration') return [];
  return statement.declarations.flatMap(({ id, init }) => (id.type === 'Identifier' ? [{ name: id.name, init }] : []));
}

function functionNames(statement: Statement): string[] {
  if (statement.type === 'FunctionDeclaration') return [statement.id.name];
  return declarators(statement).flatMap(({ name, init }) => (init && isFunction(init) ? [name] : []));
}

export function isFunction({ type }: AnyNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

function uncalledFunction({ statements, mentions }: SyntaxTree, functions: readonly string[]): string | undefined {
  const uncalled = functions.filter((name) => mentions.get(name) === 1);
  const entry = entryNames().find((name) => uncalled.includes(name));
  // Without the name of an entry, only where nothing else is done.
  return entry ?? (uncalled.length === 1 && !statements.some(acts) ? uncalled[0] : undefined);
}

const passive = new Set(['FunctionDeclaration', 'ClassDeclaration', 'EmptyStatement']);
const active = new Set(['CallExpression', 'NewExpression', 'AwaitExpression', 'TemplateLiteral', 'ImportExpression']);
const closed = new Set(['ObjectExpression', 'ArrayExpression', 'ClassExpression']);

/** Does something, beyond declaring functions and data. */
function acts(statement: Statement): boolean {
  if (passive.has(statement.type)) return false;
  if (statement.type !== 'VariableDeclaration' && statement.type !== 'ExpressionStatement') return true;
  // A short arrow function is a value for something else, and not a program.
  for (const node of nodesIn([statement], (one) => isFunction(one) || closed.has(one.type)))
    if (active.has(node.type) || (node.type === 'ArrowFunctionExpression' && node.expression)) return true;
  return false;
}

const changes = new Set(['push', 'unshift', 'add', 'set', 'splice', 'fill']);

/** The list or object that a statement puts something into: the value of the statement itself is never meant. */
function changedName(statement: Statement): string | undefined {
  if (statement.type !== 'ExpressionStatement') return undefined;
  const { expression } = statement;
  if (expression.type === 'AssignmentExpression')
    return expression.left.type === 'MemberExpression' ? rootName(expression.left) : undefined;
  if (expression.type !== 'CallExpression' || expression.callee.type !== 'MemberExpression') return undefined;
  const { property } = expression.callee;
  return property.type === 'Identifier' && changes.has(property.name) ? rootName(expression.callee) : undefined;
}

function rootName(member: MemberExpression): string | undefined {
  let { object } = member;
  while (object.type === 'MemberExpression') object = object.object;
  return object.type === 'Identifier' ? object.name : undefined;
}

function isCollection(init: Expression | null | undefined): boolean {
  if (init?.type !== 'NewExpression') return init?.type === 'ArrayExpression' || init?.type === 'ObjectExpression';
  return init.callee.type === 'Identifier' && /^(?:Map|Set)$/.test(init.callee.name);
}
