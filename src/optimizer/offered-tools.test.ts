/** The sets of tools that models and agents choose from. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrittenCatalog, writtenSnapshot } from '../../test/kit/written-catalog.ts';
import { OfferedTools } from './offered-tools.ts';

const never = new AbortController().signal;
const many = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [`rain.${at}`, `Tells the rain of the coming days in district ${at}.`]),
);
const written = {
  weather: { report: 'Does it.', history: 'Temperatures of past years.' },
  [`long-${'x'.repeat(50)}`]: {
    'a tool / with signs': 'Tells the rain.',
    'rain.report': 'Rain.',
    rain_report: 'Rain.',
  },
  districts: many,
};
const wording = { server: 'weather', toolName: 'report', description: 'Rain and sun of the coming days.' };
const prompt = 'will there be rain in the coming days';

test('[OPT-31] every wording has the same rivals in the same order, and the tool under test is always there', async () => {
  const { search } = new WrittenCatalog(writtenSnapshot(written));
  const offered = new OfferedTools(search);
  await offered.begin();
  const first = await offered.offer(wording, prompt, never);
  assert.ok(first.length > 2 && first.length <= 11);
  const own = first.find(({ address }) => address === 'weather:report');
  assert.equal(own?.description, wording.description);
  const second = await offered.offer({ ...wording, description: 'Something else.' }, prompt, never);
  const others = (set: typeof first) => set.filter(({ address }) => address !== 'weather:report');
  assert.deepEqual(others(second), others(first));
  assert.equal(
    second.indexOf(second.find((tool) => tool.description === 'Something else.') ?? assert.fail()),
    first.indexOf(own),
  );
  await offered.close();
});

test('[OPT-31] the tool that is right instead is offered to every wording, though no search finds it', async () => {
  const { search } = new WrittenCatalog(writtenSnapshot(written));
  const offered = new OfferedTools(search);
  await offered.begin();
  const rival = 'weather:history';
  const addresses = async (of: object) =>
    (await offered.offer({ ...wording, ...of }, prompt, never)).map(({ address }) => address);
  assert.ok(!(await addresses({})).includes(rival));
  assert.ok((await addresses({ rival })).includes(rival));
  assert.deepEqual(await addresses({ rival, description: 'Something else.' }), await addresses({ rival }));
  await offered.close();
});

test('[OPT-31] the place of the tool under test is any, by the prompt', async () => {
  const { search } = new WrittenCatalog(writtenSnapshot(written));
  const offered = new OfferedTools(search);
  await offered.begin();
  const places = new Set<number>();
  for (let at = 0; at < 12; at += 1) {
    const set = await offered.offer(wording, `${prompt} of week ${at}`, never);
    places.add(set.findIndex(({ address }) => address === 'weather:report'));
  }
  assert.ok(places.size > 3, [...places].join());
  await offered.close();
});

test('[OPT-31] names are such that every service takes them, and no two are one', async () => {
  const { search } = new WrittenCatalog(writtenSnapshot(written));
  const offered = new OfferedTools(search);
  await offered.begin();
  const server = Object.keys(written)[1] ?? '';
  const set = await offered.offer(
    { server, toolName: 'a tool / with signs', description: '' },
    'Tells the rain report',
    never,
  );
  assert.equal(new Set(set.map(({ name }) => name)).size, set.length);
  for (const { name } of set) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.deepEqual(await offered.offer({ ...wording, toolName: 'gone' }, prompt, never), []);
  await offered.close();
});
