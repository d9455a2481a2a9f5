/** Reads a page in the text format of Prometheus, version 0.0.4, and fails on every line that is not right. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class MetricLines {
  readonly samples: Sample[] = [];
  /** By the name of the metric. */
  readonly types = new Map<string, string>();
  readonly #seen = new Set<string>();

  constructor(text: string) {
    assert.ok(text.isWellFormed() && text.endsWith('\n'), 'The page is whole and well-formed.');
    let current = '';
    for (const line of text.slice(0, -1).split('\n')) {
      const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? [];
      if (kind === 'HELP') {
        assert.ok(!this.types.has(name), `${name} comes twice.`);
        current = name;
      } else if (kind === 'TYPE') {
        assert.equal(name, current, 'HELP comes right before TYPE.');
        assert.match(rest, /^(counter|gauge|histogram)$/);
        this.types.set(name, rest);
      } else this.#addSample(line, current);
    }
    for (const [name, type] of this.types) if (type === 'histogram') this.#checkHistogram(name);
  }

  /** The one value of these labels, or of more; undefined where there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.all(name, labels);
    assert.ok(found.length <= 1, `${name} has ${found.length} series for ${JSON.stringify(labels)}.`);
    return found[0]?.value;
  }

  all(name: string, labels: Readonly<Record<string, string>> = {}): Sample[] {
    const isMeant = (sample: Sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text);
    return this.samples.filter((sample) => sample.name === name && isMeant(sample));
  }

  #addSample(line: string, metric: string): void {
    const [, name = '', inside, number = ''] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/s.exec(line) ?? [];
    const type = this.types.get(metric);
    const endings = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    assert.ok(
      endings.some((ending) => name === metric + ending),
      `A sample of ${metric}: ${line}`,
    );
    const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number);
    assert.match(number, /^(\+Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/, line);
    const labels = readLabels(inside ?? '', line);
    const key = JSON.stringify([name, Object.entries(labels).sort()]);
    assert.ok(!this.#seen.has(key), `A series comes twice: ${line}`);
    this.#seen.add(key);
    this.samples.push({ name, labels, value });
  }

  /** Buckets grow, the last is infinite, and its count is that of all. */
  #checkHistogram(name: string): void {
    for (const { labels, value: count } of this.all(`${name}_count`)) {
      const buckets = this.all(`${name}_bucket`, labels);
      const bounds = buckets.map(({ labels: { le } }) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)));
      const counts = buckets.map(({ value }) => value);
      assert.deepEqual(
        bounds,
        bounds.toSorted((a, b) => a - b),
      );
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      );
      assert.deepEqual([bounds.at(-1), counts.at(-1)], [Number.POSITIVE_INFINITY, count]);
      assert.equal(this.all(`${name}_sum`, labels).length, 1);
    }
  }
}

const label = /([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;

function readLabels(inside: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (label.lastIndex = 0; label.lastIndex < inside.length; ) {
    const found = label.exec(inside);
    assert.ok(found, `Labels are well formed: ${line}`);
    const [, name = '', text = ''] = found;
    assert.ok(!(name in labels), `A label comes twice: ${line}`);
    labels[name] = text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  assert.ok(!inside.endsWith(','), line);
  return labels;
}

interface GrafanaPanel {
  readonly targets: readonly { readonly expr: string }[];
}

/** The queries of the Grafana dashboard that we ship, as they are written there. */
export async function dashboardQueries(): Promise<string[]> {
  const file = new URL('../../docs/grafana-dashboard.json', import.meta.url);
  const { panels } = JSON.parse(await readFile(file, 'utf8')) as { readonly panels: readonly GrafanaPanel[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** Names that a page in text could break on, and as many as it takes. */
export function hostileNames(count: number): string[] {
  const odd = ['"} 1\n', '\n# TYPE x counter\n', '\\', '\r', '{le="+Inf"}', '\u2028', 'ö\u{1f600}', 'x'.repeat(300)];
  return Array.from({ length: count }, (_, number) => `${odd[number % odd.length]}${number}`);
}
