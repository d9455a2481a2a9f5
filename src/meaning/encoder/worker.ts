/** The thread of the encoder: one text in, one vector out. Whatever goes wrong ends the thread, and `EncoderModel` takes note. */

import { parentPort, workerData } from 'node:worker_threads';
import { Encoder } from './encoder.ts';
import type { EncoderAnswer, EncoderFiles, EncoderInput } from './encoder-model.ts';

// `openEncoder` is the only one that starts this file.
const { folder, vocabulary } = workerData as EncoderFiles;
const encoder = Encoder.read(folder, vocabulary);

parentPort?.on('message', ({ number, text }: EncoderInput) => {
  const answer: EncoderAnswer = { number, vector: encoder.vectorOf(text) };
  parentPort?.postMessage(answer);
});
