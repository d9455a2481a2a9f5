/** The thread of the encoder: one text in, one vector out. Whatever goes wrong ends the thread, and `EncoderModel` takes note. */

import { parentPort, workerData } from 'node:worker_threads';
import { Encoder } from './encoder.ts';
import type { EncoderAnswer, EncoderPlace, EncoderQuestion } from './encoder-model.ts';

// `openEncoder` is the only one that starts this file.
const { folder, vocabulary } = workerData as EncoderPlace;
const encoder = Encoder.read(folder, vocabulary);

parentPort?.on('message', ({ number, text }: EncoderQuestion) => {
  const answer: EncoderAnswer = { number, vector: encoder.vectorOf(text) };
  parentPort?.postMessage(answer);
});
