/** What one demo server offers: tools and, where it has them, resources and prompts. */

import type { Signal } from '../base/signal.ts';
import type { Tool } from './tool.ts';

export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

export interface ResourceContents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

export interface Resources {
  readonly templates: readonly ResourceTemplate[];
  /** Emits when `list()` would give something else than before. */
  readonly changed: Signal<void>;
  list(): readonly ResourceEntry[];
  read(uri: string): ResourceContents | undefined;
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface Prompt {
  readonly definition: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly arguments: readonly PromptArgument[];
  };
  write(args: Readonly<Record<string, unknown>>): string;
}

export interface ToolSet {
  readonly tools: readonly Tool[];
  readonly resources?: Resources;
  readonly prompts?: readonly Prompt[];
}
