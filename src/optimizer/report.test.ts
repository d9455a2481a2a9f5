/** Tests of the diagnosis and of the report in its forms. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gateSettings } from '../../test/kit/played-jobs.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { StoredPromotion, StoredPrompt } from '../store/store.ts';
import { diagnose, findConfusions } from './diagnose.ts';
import type { DescriptionJudge } from './judge.ts';
import { reportAll, reportTools } from './report.ts';
import { writeReport } from './write-report.ts';

const { signal } = new AbortController();
const nasty = '<img src=x onerror=alert(1)>|`*\u202e';

function entry(name: string, description = 'Does things.'): Entry {
  const definition = { name, description, inputSchema: { type: 'object' } };
  return { key: `w:${name}`, server: 'w', name, serverName: name, definition, fingerprint: name };
}

function prompt(toolName: string, text: string, shouldCallTool = true): StoredPrompt {
  const category = shouldCallTool ? 'direct' : 'negative';
  const rest = { part: 'choosing', author: 'hand', createdAt: '' } as const;
  return { id: text, server: 'w', toolName, category, prompt: text, expectedBehavior: { shouldCallTool }, ...rest };
}

/** Chooses the tool that a prompt names. */
const judge: DescriptionJudge = {
  name: 'search',
  async begin() {},
  async checkSanity() {
    return null;
  },
  async choose(_wording, text) {
    return { tool: text === 'none' ? null : `w:${text.split(' ', 1)[0]}`, isDoubted: false, offered: [] };
  },
  async close() {},
};

test('a confusion is another tool that comes first for a prompt of this one', async () => {
  const prompts = [
    prompt('a', 'a please'),
    prompt('a', 'b first'),
    prompt('a', 'c once'),
    prompt('a', 'b again'),
    prompt('a', 'none'),
    prompt('a', 'b is right here', false),
  ];
  const findings = await findConfusions(judge, [entry('a'), entry('b')], prompts, signal);
  assert.deepEqual(Object.fromEntries(findings), {
    'w:a': {
      all: 5,
      right: 1,
      confusions: [
        { tool: 'w:b', prompts: 2 },
        { tool: 'w:c', prompts: 1 },
      ],
    },
  });
});

test('the expected gain grows with what is missed and with traffic', () => {
  const { definition } = entry('a');
  const gain = (right: number, calls: number, foundNotTaken = 0) => {
    const thenCalled = new Map<string, number>();
    const traffic = { calls, ok: calls, argumentErrors: 0, followed: 0, confused: 0, thenCalled };
    const finding = { all: 10, right, confusions: [] };
    return diagnose(definition, { finding, traffic, foundNotTaken }).expectedGain;
  };
  assert.equal(gain(10, 1_000), 0);
  assert.ok(gain(5, 0) > gain(8, 0));
  assert.ok(gain(5, 100) > gain(5, 10));
  assert.ok(gain(5, 10, 7) > gain(5, 10));
});

test('a report counts tools and states, puts the most gain first, and no text of a server escapes it', () => {
  const tools = [entry('fine', 'Finds it. Use it when you need it.'), entry(nasty, nasty)];
  const metrics = { directSuccess: 1, indirectSuccess: 1, negativeSuccess: 1, overall: 0.9 };
  const promotion: StoredPromotion = {
    ...{ server: 'w', toolName: 'fine', candidateId: 'c', promotedAt: '2026-01-01T00:00:00.000Z' },
    ...{ description: 'Better.', metrics, baseline: { ...metrics, overall: 0.7 }, counts: {}, judge: 'search' },
    ...{ fingerprint: '', by: 'owner', evidence: 'forced', forced: true, why: 'A test.' },
  };
  const finding = { all: 4, right: 1, confusions: [{ tool: `w:${nasty}`, prompts: 3 }] };
  const report = reportAll([
    reportTools({
      ...{
        server: 'w',
        tools,
        candidates: [],
        runs: [],
        traffic: new Map(),
        notTaken: new Map(),
        settings: gateSettings,
      },
      prompts: [prompt('fine', 'find it for me')],
      promotions: new Map([['fine', promotion]]),
      findings: new Map([['w:fine', finding]]),
    }),
  ]);
  const [server] = report.servers;
  assert.deepEqual(
    server?.tools.map(({ name, status, promptCount }) => [name, status, promptCount]),
    [
      ['fine', 'optimized', 1],
      [nasty, 'unoptimized', 0],
    ],
  );
  assert.deepEqual([report.totals.toolCount, report.totals.optimizedCount], [2, 1]);
  assert.ok(Math.abs((report.totals.avgImprovement ?? 0) - 0.2) < 1e-9);
  const page = writeReport(report, 'html');
  assert.doesNotMatch(page, /<img|<script|\u202e|https?:/);
  assert.match(page, /&lt;img src=x onerror=alert\(1\)&gt;/);
  const markdown = writeReport(report, 'markdown');
  assert.match(markdown, /^## w: 1 of 2 tools optimized, \+20 points on average; 0 runs\n\n/);
  assert.match(markdown, /\| fine \| optimized .* \+20 points, forced by owner: A test\. \|/);
  assert.match(markdown, /\\<img src=x onerror=alert\(1\)\\>\\\|\\`\\\*/);
  assert.doesNotMatch(markdown, /\u202e/);
});
