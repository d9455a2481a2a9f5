/** Categories of tools, judged by meaning: one linear rule a category over the built-in table's vectors, learnt by `model/categories.ts`. */

import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { ModelFile, openTable, type TableModel, textOfTool, type Vector } from '../meaning/meaning.ts';
import { documentFromTool, type SearchDocument } from './document.ts';

export interface Category {
  readonly name: string;
  readonly description: string;
  /** Whole words that speak for it, with spaces between; how much each place of them counts is learnt. */
  readonly words: string;
}

/** In the order in which they are shown; the last one takes what fits nowhere. */
export const categories: readonly Category[] = [
  {
    name: 'file_operations',
    description: 'Read, write, move and list files and folders',
    words: 'file files folder directory directories path filesystem fs',
  },
  {
    name: 'git',
    description: 'Local version control',
    words: 'git commit branch diff merge rebase stash checkout worktree',
  },
  {
    name: 'github',
    description: 'GitHub and other code hosting',
    words: 'github gitlab bitbucket pull repository repositories repo issue issues gist workflow',
  },
  {
    name: 'messaging',
    description: 'Chat and text messages',
    words: 'slack discord telegram chat message messages channel sms whatsapp teams',
  },
  {
    name: 'calendar',
    description: 'Events, meetings and time',
    words: 'calendar event events meeting schedule appointment timezone clock reminder',
  },
  {
    name: 'email',
    description: 'Mail',
    words: 'email emails mail gmail inbox smtp imap mailbox',
  },
  {
    name: 'database',
    description: 'Databases and queries',
    words: 'database databases sql query table tables schema postgres mysql sqlite mongodb redis supabase collection',
  },
  {
    name: 'api',
    description: 'Calls to web services',
    words: 'api endpoint rest graphql http webhook openapi request',
  },
  {
    name: 'shell',
    description: 'Commands and processes',
    words: 'shell bash command commands terminal process processes ssh exec execute script',
  },
  {
    name: 'search',
    description: 'Search on the web or in a collection',
    words: 'search find lookup websearch google bing brave tavily crawl scrape',
  },
  {
    name: 'auth',
    description: 'Accounts, sign-in and secrets',
    words: 'auth login logout token oauth password credential credentials secret permission',
  },
  {
    name: 'notification',
    description: 'Alerts and notifications',
    words: 'notification notifications notify alert alerts push',
  },
  {
    name: 'browser',
    description: 'Control of a web browser',
    words: 'browser page click screenshot navigate tab dom puppeteer playwright chrome url',
  },
  {
    name: 'documents',
    description: 'Documents, notes and knowledge',
    words: 'document documents docs documentation note notes pdf markdown notion wiki spreadsheet word excel library',
  },
  {
    name: 'ai',
    description: 'Models, memory and reasoning',
    words: 'llm model models prompt embedding thinking memory reasoning agent knowledge graph entities',
  },
  {
    name: 'monitoring',
    description: 'Logs, metrics and health',
    words: 'monitor monitoring log logs metric metrics trace health sentry grafana performance',
  },
  {
    name: 'cloud',
    description: 'Cloud and infrastructure',
    words: 'cloud aws azure gcp kubernetes pod deploy deployment container docker cluster instance vm namespace',
  },
  {
    name: 'payments',
    description: 'Payments and invoices',
    words: 'payment payments invoice stripe paypal refund subscription checkout charge billing',
  },
  {
    name: 'crm',
    description: 'Customers, contacts and tasks',
    words: 'crm customer customers contact contacts lead deal salesforce hubspot ticket task tasks project',
  },
  {
    name: 'media',
    description: 'Images, audio, video and charts',
    words: 'image images video audio photo chart charts plot diagram music map figma svg',
  },
  { name: 'other', description: 'Everything else', words: '' },
];

/** The category for tools that fit no other. */
const fallback = 'other';
/** A tool's own words lead; its name counts again, and what the server is about helps a vague tool. */
const mixture = { name: 0.3, server: 1, length: 3 };
const wordWeights = { name: 0.7, server: 0.7, description: 0.5 };
const limits = { serverDescription: 430, serverTools: 40, serverText: 2_000, wordsOfDescription: 400 };
const weightsPath = join(import.meta.dirname, '../../assets/categories.bin');

/** The text about a server for the judge: its own description and the names of its tools. */
export function serverTextOf(description: string, toolNames: readonly string[]): string {
  const names = toolNames.slice(0, limits.serverTools).map((name) => textOfTool({ ...nothing, name }));
  return [description.slice(0, limits.serverDescription), names.join(', ')].filter((text) => text !== '').join(' ');
}

export class CategoryJudge {
  readonly #path: string;
  /** By definition: the category, and what was known of the server when it was found. */
  readonly #found = new WeakMap<object, { readonly serverText: string; readonly category: string }>();
  #rules: Rules | undefined;
  #problem: string | null = null;

  /** Reads nothing yet: the files are opened for the first tool. */
  constructor(path: string = weightsPath) {
    this.#path = path;
  }

  /** Why every tool is `other`: a model file is missing or damaged. null while none is, or none was opened yet. */
  get problem(): string | null {
    return this.#problem;
  }

  /** The category of a tool; `serverText` as `serverTextOf` writes it. A definition is immutable, so it is judged once for each text. */
  categoryOf(definition: Readonly<Record<string, unknown>>, server: string, serverText = ''): string {
    const known = this.#found.get(definition);
    if (known?.serverText === serverText) return known.category;
    const rules = this.#open();
    if (!rules) return fallback;
    const category = judge(rules, definition, server, serverText);
    this.#found.set(definition, { serverText, category });
    return category;
  }

  /** undefined where a file cannot be read: it is not tried again, and a list of tools must not fail for want of categories. */
  #open(): Rules | undefined {
    if (this.#rules || this.#problem !== null) return this.#rules;
    try {
      const reader = new FeatureReader(openTable());
      this.#rules = { reader, weights: readWeights(this.#path, reader) };
    } catch (error) {
      this.#problem = `Tools have no categories: ${messageOf(error)}`;
    }
    return this.#rules;
  }
}

interface Rules {
  readonly reader: FeatureReader;
  readonly weights: Weights;
}

function judge({ reader, weights }: Rules, definition: unknown, server: string, serverText: string): string {
  const features = reader.read(definition, server, serverText);
  if (!features) return fallback;
  const chances = chancesOf(features, weights);
  const best = chances.indexOf(Math.max(...chances));
  return (chances[best] ?? 0) * 100 < weights.leastPercent ? fallback : (weights.names[best] ?? fallback);
}

/** The numbers that the rules weigh: the direction of the meaning, then how often words of each category stand in each place. */
export class FeatureReader {
  readonly table: TableModel;
  readonly width: number;
  #lastText = '';
  #lastVector: Vector | null = null;

  constructor(table: TableModel) {
    this.table = table;
    this.width = table.width + 3 * judged.length;
  }

  /** null for a definition without a name, or without a single word that the table knows. */
  read(definition: unknown, server: string, serverText: string): Float32Array | null {
    const document = documentFromTool(server, serverText, definition);
    if (!document) return null;
    const out = new Float32Array(this.width);
    this.#add(this.table.vectorOf(textOfTool(document)), 1, out);
    this.#add(this.table.vectorOf(textOfTool({ ...nothing, name: document.name })), mixture.name, out);
    this.#add(this.#vectorOfServer(document.serverText), mixture.server, out);
    return scaleTo(mixture.length, out, this.table.width) ? this.#withWords(document, out) : null;
  }

  /** The features of a sentence alone, as a person would ask for a tool: learning sees such ones too. */
  readSentence(text: string): Float32Array | null {
    const out = new Float32Array(this.width);
    this.#add(this.table.vectorOf(text), 1, out);
    return scaleTo(mixture.length, out, this.table.width) ? out : null;
  }

  #add(vector: Vector | null, weight: number, out: Float32Array): void {
    if (!vector) return;
    const factor = weight * vector.scale;
    for (const [at, value] of vector.values.entries()) out[at] = (out[at] ?? 0) + factor * value;
  }

  /** The tools of a server come one after the other. */
  #vectorOfServer(text: string): Vector | null {
    if (text !== this.#lastText) {
      this.#lastText = text;
      this.#lastVector = this.table.vectorOf(text.slice(0, limits.serverText));
    }
    return this.#lastVector;
  }

  #withWords(document: SearchDocument, out: Float32Array): Float32Array {
    let start = this.table.width;
    const places = [
      [document.name, wordWeights.name],
      [document.server, wordWeights.server],
      [document.description.slice(0, limits.wordsOfDescription), wordWeights.description],
    ] as const;
    for (const [text, weight] of places) {
      for (const at of categoriesOfWords(text)) out[start + at] = (out[start + at] ?? 0) + weight;
      start += judged.length;
    }
    return out;
  }
}

export interface Weights {
  readonly names: readonly string[];
  /** One row a category, one after the other; a row's numbers are worth `scales` of it. */
  readonly rows: Int8Array;
  readonly scales: Float32Array;
  readonly biases: Float32Array;
  /** A best category that is less probable than this is no judgement. */
  readonly leastPercent: number;
}

/** How probable each category is; together 1. */
export function chancesOf(features: Float32Array, weights: Weights): number[] {
  const width = features.length;
  const scores = weights.names.map((_, category) => {
    let sum = 0;
    for (let at = 0; at < width; at += 1) sum += (features[at] ?? 0) * (weights.rows[category * width + at] ?? 0);
    return sum * (weights.scales[category] ?? 0) + (weights.biases[category] ?? 0);
  });
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function readWeights(path: string, reader: FeatureReader): Weights {
  const file = ModelFile.read(path);
  const { leastPercent, ...described } = file.header;
  // Rules learnt for other categories, another table or other features would judge at random.
  if (JSON.stringify(described) !== JSON.stringify(headerFor(reader))) throw file.broken();
  const count = categories.length;
  return {
    names: categories.map(({ name }) => name),
    scales: file.nextFloats(count),
    rows: file.nextInt8(count * reader.width),
    biases: file.nextFloats(count),
    leastPercent: Number(leastPercent),
  };
}

/** The header of a file that this reader accepts. */
export function headerFor(reader: FeatureReader): Readonly<Record<string, unknown>> {
  return {
    kind: 'categories',
    id: reader.table.id,
    names: categories.map(({ name }) => name),
    width: reader.width,
  };
}

const nothing = { name: '', server: '', description: '', parameters: [] } as const;
/** Those with words of their own: all but the last. */
const judged = categories.slice(0, -1);
const byWord = new Map<string, readonly number[]>();
for (const [at, { words }] of judged.entries())
  for (const word of words.split(' ')) byWord.set(word, [...(byWord.get(word) ?? []), at]);

/** Each word counts once a text, so that a long description cannot outvote a name by repeating itself. */
function categoriesOfWords(text: string): readonly number[] {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return [...new Set(words)].flatMap((word) => byWord.get(word) ?? []);
}

/** Stretches the first `width` numbers to `length`; false where they have none. */
function scaleTo(length: number, numbers: Float32Array, width: number): boolean {
  const now = Math.hypot(...numbers.subarray(0, width));
  if (now === 0) return false;
  for (let at = 0; at < width; at += 1) numbers[at] = ((numbers[at] ?? 0) * length) / now;
  return true;
}
