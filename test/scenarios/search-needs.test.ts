/** Queries of agents over 200 tools: keywords, phrases, names in any spelling, more needs than one search takes. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openRealSizeGateway } from '../kit/real-size.ts';
import { askCatalog, type Discovered, keysOf } from '../kit/search-requests.ts';

let gateway: Awaited<ReturnType<typeof openRealSizeGateway>>;
before(async () => {
  gateway = await openRealSizeGateway();
});
after(() => gateway.close());

/** The best tool by the operation of the owner. */
async function firstFor(query: string | string[]): Promise<string> {
  const found = await gateway.gateway.admin.run('tools.search', { query, limit: 1, detailLevel: 'minimal' });
  return keysOf(found as unknown as Discovered)[0] ?? '';
}

async function ownTools(): Promise<readonly { readonly toolKey: string; readonly name: string }[]> {
  return gateway.gateway.admin.run('tools.list', {});
}

function wordsOf(name: string): string[] {
  return name.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u);
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

test("[FIND-25] the words of a tool's name find it as a list of keywords, for every tool", async () => {
  const tools = await ownTools();
  assert.ok(tools.length > 180, String(tools.length));
  for (const { toolKey, name } of tools) {
    const first = await firstFor(wordsOf(name));
    // Another server may have a tool of that name.
    assert.equal(first.split(':')[1], name, toolKey);
  }
});

test("[FIND-26] a tool's name finds it in any spelling, with its server or without, for every tool", async () => {
  for (const { toolKey, name } of await ownTools()) {
    const words = wordsOf(name);
    const camel = words.map((word, at) => (at === 0 ? word : capital(word))).join('');
    for (const query of [name, words.join(' '), camel, words.map(capital).join('-')])
      assert.equal((await firstFor(query)).split(':')[1], name, query);
    for (const query of [toolKey, toolKey.replace(':', '.'), toolKey.replace(':', ' ')])
      assert.equal(await firstFor(query), toolKey, query);
  }
});

/** Misspelt, and what was meant. */
const slips: Readonly<Record<string, string>> = {
  comit: 'commit',
  brnch: 'branch',
  'crate pul reqest': 'create pull request',
  'list isues': 'list issues',
  scrennshot: 'screenshot',
  'transalte text': 'translate text',
};

/** Needs of people and agents, and the tools that meet them. */
const everyday: Readonly<Record<string, RegExp>> = {
  mkdir: /:create_directory$/,
  'cat notes.txt': /:read_(?:text_)?file$/,
  'touch empty.txt': /:write_file$/,
  'kill 4711': /^desktop:(?:kill_process|force_terminate)$/,
  stat: /:get_file_info$/,
  'undo my last change': /:(?:undo_last_edit|git_restore_file|git_reset)$/,
  'remember that I like tea': /^memory:(?:add_observations|create_entities)$/,
  'am I free tomorrow at ten': /freebusy/,
  'how long ago was it': /:time_since$/,
  'open a pull request': /:create_pull_request$/,
  'file a bug': /:create_issue$/,
};

for (const kind of KINDS) {
  test(`[FIND-29] everyday words lead to the tool that does it (${kind})`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    for (const [query, tool] of Object.entries(everyday)) {
      const { structuredContent } = await agent.call('tool_discovery', { query, maxResults: 3 });
      assert.match(keysOf(structuredContent as Discovered)[0] ?? 'none', tool, query);
      const recommended = await agent.call('recommend_tools', { task: query, limit: 1 });
      assert.match(
        JSON.stringify(recommended.structuredContent),
        new RegExp(tool.source.replace('$', '"').replace('^', '"')),
        query,
      );
    }
  });

  test(`[FIND-27] a misspelt query finds what the right spelling finds, in the default mode (${kind})`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    const found = async (query: string) =>
      (await agent.call('tool_discovery', { query, maxResults: 5 })).structuredContent as Discovered;
    for (const [slip, right] of Object.entries(slips)) {
      const [misspelt, spelled] = [await found(slip), await found(right)];
      assert.deepEqual(keysOf(misspelt), keysOf(spelled), slip);
      assert.deepEqual([misspelt.metadata.mode, misspelt.metadata.code], ['hybrid', spelled.metadata.code], slip);
      const { structuredContent } = await agent.call('recommend_tools', { task: slip, limit: 1 });
      const { recommendations } = structuredContent as { recommendations: readonly { toolKey: string }[] };
      assert.equal(recommendations[0]?.toolKey, keysOf(spelled)[0], slip);
      const { results } = await askCatalog(gateway, { query: slip });
      assert.equal(results[0]?.toolKey, keysOf(spelled)[0], slip);
    }
  });

  test(`[FIND-25] keywords are one need and phrases one each, to an agent (${kind})`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    const discover = async (query: unknown) =>
      (await agent.call('tool_discovery', { query })).structuredContent as Discovered;
    const keywords = await discover(['forge', 'create', 'pull', 'request']);
    assert.deepEqual(keywords.metadata.query, ['forge create pull request']);
    assert.equal(keysOf(keywords)[0], 'forge:create_pull_request');
    const phrases = await discover(['create a pull request', 'drive to the airport']);
    assert.deepEqual(keysOf(phrases).slice(0, 2).sort(), ['forge:create_pull_request', 'maps:maps_direction_driving']);
    const needs = Array.from({ length: 21 }, (_, at) => `read file number ${at}`);
    assert.match((await discover(needs)).metadata.notice ?? '', /Search again for: "read file number 20"\./);
    const sentences = needs.slice(0, 10).map((need) => `${need}.`);
    assert.match(
      (await discover(sentences.join(' '))).metadata.notice ?? '',
      /Search again for: "read file number 8\.", "read file number 9\."\./,
    );
  });

  test(`[FIND-26] a name comes first to an agent, and the answer says so (${kind})`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    for (const query of ['git_commit', 'git commit', 'gitCommit', 'Git-Commit', 'mcp__git__git_commit', 'commit']) {
      const { structuredContent } = await agent.call('tool_discovery', { query, maxResults: 1, detailLevel: 'full' });
      const [first] = (structuredContent as Discovered).tools;
      assert.deepEqual([first?.toolKey, first?.explanation?.isNamed], ['git:git_commit', true], query);
    }
  });
}
