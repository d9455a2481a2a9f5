/** Everything the test server holds while it runs, and the way news of a change reaches those who asked for it. */

import { defaultPrompts, defaultResources, defaultTemplates } from './content.ts';
import type { Conversation } from './conversation.ts';
import { Journal } from './journal.ts';
import { madeTools } from './made-tools.ts';
import { type Dict, META, type Message, notification, type RequestId } from './rpc.ts';
import type { PromptSpec, ResourceSpec, Settings, TemplateSpec } from './spec.ts';
import { defaultTools, type Tool, toolFromSpec } from './tools.ts';

/** One open `subscriptions/listen` request of the modern era. */
export interface Listen {
  readonly id: RequestId;
  readonly filter: Dict;
  readonly send: (messages: readonly Message[]) => void;
  readonly finish: () => void;
}

export class ServerState {
  readonly settings: Settings;
  readonly journal: Journal;
  readonly tools: Map<string, Tool>;
  readonly resources: Map<string, ResourceSpec>;
  readonly templates: readonly TemplateSpec[];
  readonly prompts: PromptSpec[];
  readonly conversations = new Set<Conversation>();
  readonly listens = new Set<Listen>();
  /** The counter of `count`. */
  counter = 0;
  /** Finished walks of tools/list and answered calls, which the "after N" modes look at. */
  listsServed = 0;
  callsServed = 0;
  /** Lists of tools are answered after this: a server in the test's own process is slow for exactly as long as the test wants. */
  listsAfter: Promise<void> = Promise.resolve();
  /** Called when the first client is able to hear about changes. */
  onListener: () => void = () => {};

  constructor(settings: Settings) {
    this.settings = settings;
    this.journal = new Journal(settings.journal);
    const { name, tools, toolCount, resources, templates, prompts } = settings;
    const named = tools === 'default' ? defaultTools() : tools.map(toolFromSpec);
    this.tools = new Map([...named, ...madeTools(name, toolCount)].map((tool) => [tool.definition.name, tool]));
    this.resources = new Map((resources === 'default' ? defaultResources(name) : resources).map((r) => [r.uri, r]));
    this.templates = templates === 'default' ? defaultTemplates(name) : templates;
    this.prompts = prompts === 'default' ? defaultPrompts() : [...prompts];
  }

  /** The capabilities that the server announces in both eras; only those it has something of. */
  capabilities(): Dict {
    const hasResources = this.resources.size > 0 || this.templates.length > 0;
    return {
      logging: {},
      ...(this.tools.size > 0 && { tools: { listChanged: true } }),
      ...(hasResources && { resources: { subscribe: true, listChanged: true } }),
      ...(this.prompts.length > 0 && { prompts: { listChanged: true }, completions: {} }),
    };
  }

  info(): Dict {
    return {
      name: this.settings.name,
      title: this.settings.title ?? `Test server ${this.settings.name}`,
      version: this.settings.version ?? '1.0.0',
    };
  }

  /** Tells every client that can hear it that one of the lists is another one now. */
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void {
    this.#announce(
      notification(`notifications/${kind}/list_changed`),
      () => true,
      (filter) => filter[`${kind}ListChanged`] === true,
    );
  }

  /** Tells the subscribers of a resource that it changed. */
  resourceUpdated(uri: string): void {
    this.#announce(
      notification('notifications/resources/updated', { uri }),
      (conversation) => conversation.subscriptions.has(uri),
      ({ resourceSubscriptions: uris }) => Array.isArray(uris) && uris.includes(uri),
    );
  }

  /** Journals the reason and ends the process at once, answering nobody. */
  crash(why: string, code = 1): never {
    this.journal.write('crash', { why });
    process.exit(code);
  }

  /** Legacy clients hear it as it is, open listens of the modern era with their tag on it. */
  #announce(
    news: Message,
    isHeardBy: (conversation: Conversation) => boolean,
    isWantedBy: (filter: Dict) => boolean,
  ): void {
    for (const conversation of this.conversations) {
      if (conversation.isReady && isHeardBy(conversation)) conversation.push([news]);
    }
    for (const listen of this.listens) {
      const params = { ...news.params, _meta: { [META.subscriptionId]: listen.id } };
      if (isWantedBy(listen.filter)) listen.send([{ ...news, params }]);
    }
  }
}
