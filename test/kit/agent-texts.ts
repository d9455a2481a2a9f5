/** Made-up config files of agents in each format, as people and programs write them: comments, odd spacing, unknown members. */

import fc from 'fast-check';

/** A made-up file, and the names of the servers in it. */
export interface AgentText {
  readonly text: string;
  /** Null where the file has no object for servers. */
  readonly names: readonly string[] | null;
}

const words = ['alpha', 'beta', 'theme', 'a b', 'été', 'x.y', 'mcp'] as const;
const serverNames = ['files', 'github', 'my server', 'db-1'] as const;
const lineBreaks = fc.constantFrom('\n', '\r\n');
const plainText = fc.constantFrom(
  'x',
  'a "quote"',
  "it's",
  '# no comment',
  '// none',
  '[mcp_servers.toolcrib]',
  '{',
  'ü',
);

function someOf<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items]);
}

/** With the line breaks, the mark and the end of its own. */
function finished(lines: fc.Arbitrary<{ readonly body: string; readonly names: readonly string[] | null }>) {
  return fc
    .record({ lines, lineBreak: lineBreaks, hasMark: fc.boolean(), end: fc.constantFrom('', '\n', '\n\n') })
    .map(({ lines: { body, names }, lineBreak, hasMark, end }): AgentText => {
      const text = (body === '' ? '' : body + end).replaceAll('\n', lineBreak);
      return { text: (hasMark ? '\uFEFF' : '') + text, names };
    });
}

interface JsonMember {
  readonly key: string;
  readonly value: string;
  readonly above: string;
  readonly beside: string;
}

const jsonValue = fc.oneof(
  fc.constantFrom('1', 'null', '"x"', '[]', '{}', '{ "url": "https://x.example" }', '[1, 2 /* two */]', '{"a":1,}'),
  plainText.map((text) => JSON.stringify(text)),
);
const jsonComments = fc.constantFrom('', '', '// on a line', '/* a, "b": { */', '/* two\n lines */');

function jsonMembers(keys: readonly string[]): fc.Arbitrary<JsonMember[]> {
  const member = fc.record({ value: jsonValue, above: jsonComments, beside: jsonComments });
  return someOf(keys).chain((chosen) => fc.tuple(...chosen.map((key) => member.map((rest) => ({ key, ...rest })))));
}

interface JsonStyle {
  readonly unit: string;
  readonly hasTrailingComma: boolean;
  readonly isCommaFirst: boolean;
}

function jsonObject(members: readonly JsonMember[], { unit, hasTrailingComma, isCommaFirst }: JsonStyle): string {
  if (members.length === 0) return '{}';
  const rows = members.map(({ key, value, above, beside }, at) => {
    const comma = at < members.length - 1 || hasTrailingComma ? ',' : '';
    const member = `${JSON.stringify(key)}: ${value.replaceAll('\n', `\n${unit}`)}`;
    const line =
      isCommaFirst && beside.startsWith('/*') ? `${member} ${beside}${comma}` : `${member}${comma} ${beside}`;
    return `${above === '' ? '' : `${unit}${above}\n`}${unit}${line.trimEnd()}`;
  });
  return `{\n${rows.join('\n')}\n}`;
}

export const jsoncTexts: fc.Arbitrary<AgentText> = finished(
  fc.oneof(
    fc.constant({ body: '', names: null }),
    fc
      .record({
        others: jsonMembers(words),
        servers: fc.option(jsonMembers(serverNames)),
        at: fc.nat(words.length),
        style: fc.record({
          unit: fc.constantFrom('  ', '    ', '\t'),
          hasTrailingComma: fc.boolean(),
          isCommaFirst: fc.boolean(),
        }),
        isOneLine: fc.boolean(),
        head: jsonComments,
      })
      .map(({ others, servers, at, style, isOneLine, head }) => {
        const top = head === '' ? '' : `${head}\n`;
        if (servers === null) return { body: `${top}${jsonObject(others, style)}`, names: null };
        const inLine = `{ ${servers.map(({ key, value }) => `${JSON.stringify(key)}: ${value}`).join(', ')} }`;
        const value = isOneLine ? inLine : jsonObject(servers, style);
        const own: JsonMember = { key: 'mcpServers', value, above: '', beside: '' };
        const body = jsonObject(others.toSpliced(at, 0, own), style);
        return { body: `${top}${body}`, names: servers.map(({ key }) => key) };
      }),
  ),
);

const tomlValue = fc.oneof(
  fc.constantFrom('1', 'true', '1979-05-27', '[1, 2]', '[\n  "a", # [not.a.table]\n  "b",\n]', '{ a = 1, b = "}" }'),
  fc.constantFrom('"""\n[mcp_servers.toolcrib]\n\\"""\n"""', "'''\nraw \\\n[x]\n'''", '"""quotes"""""', "''", '""'),
  plainText.map((text) => JSON.stringify(text)),
);
const tomlComment = fc.constantFrom('', '', ' # beside');
const bareKeys = ['alpha', 'beta', 'mcp', '"a b"', "'x.y'"] as const;

function tomlPairs(keys: readonly string[]): fc.Arbitrary<string> {
  return someOf(keys).chain((chosen) =>
    fc
      .tuple(
        ...chosen.map((key) => fc.tuple(tomlValue, tomlComment).map(([value, note]) => `${key} = ${value}${note}`)),
      )
      .map((rows) => rows.join('\n')),
  );
}

function tomlServer(name: string): fc.Arbitrary<string> {
  const key = /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
  return fc
    .tuple(tomlPairs(['command', 'args', 'url']), fc.boolean(), fc.constantFrom('', '# above\n'), tomlPairs(['A', 'B']))
    .map(([pairs, hasEnv, above, env]) => {
      const table = `${above}[mcp_servers.${key}]\n# inside\n${pairs}`;
      return hasEnv ? `${table}\n\n[ mcp_servers . ${key} . env ]\n${env}` : table;
    });
}

export const tomlTexts: fc.Arbitrary<AgentText> = finished(
  fc
    .record({
      root: tomlPairs(bareKeys),
      tables: fc.tuple(tomlPairs(bareKeys), tomlPairs(bareKeys)),
      names: someOf(serverNames),
      gap: fc.constantFrom('\n', '\n\n', '\n\n# between\n\n'),
    })
    .chain(({ root, tables: [one, two], names, gap }) =>
      fc.tuple(...names.map(tomlServer)).map((servers) => {
        const blocks = [root, `[profiles.fast]\n${one}`, ...servers, `[[list]]\n${two}`];
        return {
          body: blocks.filter((block) => block.trim() !== '').join(gap),
          names: names.length > 0 ? names : null,
        };
      }),
    ),
);

const yamlValue = fc.oneof(
  fc.constantFrom(
    ' 1',
    ' {}',
    ' [a, b]',
    ' |\n  several\n\n  lines',
    ' >-\n  folded\n  text',
    '',
    ' &mark x',
    '\n  deep:\n    - 1',
  ),
  plainText.map((text) => ` ${JSON.stringify(text)}`),
);
const yamlComment = fc.constantFrom('', '', '# above\n', '\n');

function yamlPairs(keys: readonly string[]): fc.Arbitrary<string[]> {
  return someOf(keys).chain((chosen) =>
    fc.tuple(
      ...chosen.map((key) =>
        fc
          .tuple(yamlValue, yamlComment)
          .map(([value, above]) => `${above}${/^\w+$/.test(key) ? key : JSON.stringify(key)}:${value}`),
      ),
    ),
  );
}

function deeper(text: string, indent: string): string {
  return text.replaceAll(/^(?=.)/gm, indent);
}

function yamlTextsOf(key: string, isList: boolean): fc.Arbitrary<AgentText> {
  const rows = {
    indent: fc.constantFrom('  ', '    '),
    others: yamlPairs(words),
    names: fc.option(someOf(serverNames)),
  };
  const servers = fc.array(yamlPairs(['command', 'timeout', 'x y']), { minLength: 4, maxLength: 4 });
  return finished(
    fc.record({ ...rows, servers, at: fc.nat(words.length) }).map(({ indent, others, names, servers: bodies, at }) => {
      if (names === null) return { body: others.join('\n'), names };
      const blocks = names.map((name, index) => {
        const pairs = [`name: ${name}`, ...(bodies[index] ?? [])].join('\n');
        return isList ? `- ${deeper(pairs, '  ').slice(2)}` : `${name}:\n${deeper(pairs, indent)}`;
      });
      const empty = isList ? ' []' : ' {}';
      const own = `${key}:${names.length === 0 ? empty : `\n${deeper(blocks.join('\n'), indent)}`}`;
      return { body: others.toSpliced(at, 0, own).join('\n'), names };
    }),
  );
}

export const yamlTexts: fc.Arbitrary<AgentText> = yamlTextsOf('extensions', false);
export const yamlListTexts: fc.Arbitrary<AgentText> = yamlTextsOf('mcpServers', true);
