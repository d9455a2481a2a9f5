/** Promises about what other programs can observe by OpenTelemetry, and about the log. */

import type { Requirement } from './requirement.ts';

const sentences: Readonly<Record<string, string>> = {
  'OTEL-01':
    'One trace goes from an agent through the gateway to a server, over stdio and HTTP and in both eras, with a span for the request, the call and the server.',
  'OTEL-02':
    'The trace of an agent is taken from the message, else from its headers; one that is malformed is no trace.',
  'OTEL-03': 'The sampled flag of an agent decides; without one telemetry.sampleRatio does, and servers are told.',
  'OTEL-04':
    'A span names the type of the error and the stage in which a call failed: its arguments, an approval, the link or the tool.',
  'OTEL-05': 'Spans hold no arguments, results, queries or secrets, and names in them are short.',
  'OTEL-06':
    'A collector that is dead, slow or refuses delays and loses no call, causes one warning, and lost spans are counted.',
  'OTEL-07':
    'A collector that says "later" gets the same spans after the pause that it names, and an orderly end sends those that wait.',
  'OTEL-08':
    'Headers for the collector may refer to secrets, which are listed as in use; a missing one is a warning and keeps nothing from starting.',
  'OTEL-09': 'The collector gets the same metrics as /metrics shows.',
  'OTEL-10': 'Each line of the JSON log names the request and the trace that it is about.',
  'OTEL-11': 'It is switched on and off by an edit of the config; off, nothing is sent and messages pass unchanged.',
  'OTEL-12': 'Searches, the calls of a program and requests for prompts and resources are part of the trace.',
};

export const telemetryRequirements: readonly Requirement[] = Object.entries(sentences).map(([id, sentence]) => ({
  id,
  sentence,
  source: 'SPEC 13',
}));
