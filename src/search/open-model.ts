/** Opens the embedding model that the settings name. */

import type { Surroundings } from '../base/post-json.ts';
import type { Config } from '../config/config.ts';
import { type EmbeddingModel, openEncoder, openTable, RemoteModel } from '../meaning/meaning.ts';

export type EmbeddingSettings = Config['search']['embedding'];

/** null: search by words only. */
export function openModel(settings: EmbeddingSettings, surroundings: Surroundings): EmbeddingModel | null {
  switch (settings.provider) {
    case 'off':
      return null;
    case 'builtin':
      return openTable();
    case 'encoder':
      return openEncoder();
    case 'openai':
      return new RemoteModel({ settings, ...surroundings });
  }
}
