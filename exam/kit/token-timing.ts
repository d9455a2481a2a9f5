/** Checks that the time of a refusal does not tell how much of a secret was guessed: many samples, in pairs, compared by their medians. */

import http from 'node:http';

export interface Sampled {
  /** How far the medians lie apart, in standard errors of that difference. */
  readonly errors: number;
  readonly differenceUs: number;
}

/** One request after the other, so that each is measured alone; which guess is first in a pair is drawn. */
export async function compareGuesses(
  url: string,
  guesses: readonly [string, string],
  pairs: number,
  coin: () => boolean,
): Promise<Sampled> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: readonly [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    const first = coin() ? 1 : 0;
    for (const which of first === 0 ? ([0, 1] as const) : ([1, 0] as const))
      times[which].push(await ask(url, guesses[which], agent));
  }
  agent.destroy();
  const [one, other] = times.map((list) => list.toSorted((a, b) => a - b));
  const difference = median(one ?? []) - median(other ?? []);
  const error = Math.hypot(errorOfMedian(one ?? []), errorOfMedian(other ?? []));
  return { errors: Math.abs(difference) / error, differenceUs: Math.abs(difference) * 1_000 };
}

function ask(url: string, token: string, agent: http.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const headers = { authorization: `Bearer ${token}` };
    const request = http.request(`${url}/mcp`, { method: 'POST', headers, agent }, (response) => {
      const tookMs = performance.now() - startedAt;
      if (response.statusCode !== 401) reject(new Error(`A wrong token got ${response.statusCode}.`));
      response.resume().on('end', () => resolve(tookMs));
    });
    request.on('error', reject).end();
  });
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** From the order of the samples, whatever their distribution is: those half a standard error to each side. */
function errorOfMedian(sorted: readonly number[]): number {
  const reach = Math.sqrt(sorted.length) / 2;
  const at = (place: number) => sorted[Math.round(place)] ?? 0;
  return (at(sorted.length / 2 + reach) - at(sorted.length / 2 - reach)) / 2;
}
