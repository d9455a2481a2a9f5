/** Words that mean the same to somebody who looks for a tool: groups of our own, and those that the user adds. */

import { isStopWord, stemOf, tokensOf } from './words.ts';

/** More are left out, so that no list, however long, makes one word of a query as dear as a page. The user's own go first. */
const mostPerWord = 12;
/** In words. Longer phrases are left out: hardly a query holds one as it was written down. */
export const longestPhrase = 3;

/**
 * Words meet by stem, so words that share theirs with another common word are missing on purpose: settings (set), terminate
 * (terminal), conversation (conversion), organization (organ), customer (custom), medication (medical), new (news).
 */
const tellingGroups = [
  // what is done
  'delete remove erase rm get_rid',
  'update edit modify change alter',
  'copy duplicate clone cp',
  'move relocate mv',
  'rename mv',
  'start begin launch',
  'restart reboot',
  'restore recover',
  'buy purchase',
  'reserve book',
  'calculate compute calc',
  'convert transform',
  'merge combine',
  'split divide',
  'join concatenate',
  'compare diff',
  'crop trim',
  'install setup',
  'fix repair',
  'debug troubleshoot',
  'check verify validate',
  'scrape crawl',
  'reply answer respond',
  'notify notification alert',
  'subscribe subscription',
  'predict forecast',
  'recommend suggest',
  'summarize summarise summary',
  'analyze analyse analysis',
  'transcribe transcript',
  'classify classification categorize category',
  'deploy deployment',
  'register registration signup',
  'login signin auth authenticate',
  'pay payment',
  'sell sale',
  'solve solution',
  'visualize visualise plot chart',
  // short forms
  'repo repository',
  'db database',
  'pr pull_request',
  'mr merge_request',
  'k8s kubernetes',
  'js javascript',
  'ts typescript',
  'py python',
  'msg message',
  'doc document',
  'config configuration cfg conf',
  'env environment',
  'app application',
  'cmd command',
  'param parameter',
  'arg argument',
  'func function',
  'lib library',
  'pkg package',
  'admin administrator',
  'avg average mean',
  'stats statistics',
  'math mathematics',
  'tz timezone',
  'lang language',
  'pwd password',
  'lat latitude',
  'lng lon longitude',
  'postgres postgresql',
  'mongo mongodb',
  'md markdown',
  'btc bitcoin',
  'crypto cryptocurrency',
  // things
  'image picture photo photograph pic img',
  'email mail',
  'folder directory dir',
  'movie film',
  'car vehicle automobile',
  'meeting appointment',
  'weather forecast',
  'money currency',
  'price cost',
  'company business firm corporation',
  'issue bug ticket',
  'task todo',
  'invoice bill',
  'doctor physician',
  'medicine drug',
  'disease illness',
  'lawyer attorney',
  'website site webpage',
  'web internet online',
  'link url hyperlink',
  'article blog',
  'error failure',
  'graph chart plot diagram',
  'spreadsheet excel',
  'calendar agenda',
  'note memo',
  'phone telephone mobile',
  'speed velocity',
  'workout exercise',
  'attendee participant',
  'soccer football',
  'audio sound',
  'voice speech',
  'song music',
  'hotel accommodation lodging',
  'trip journey',
  'holiday vacation',
  'secret credential',
  // one word, two spellings
  'color colour',
  'center centre',
  'catalog catalogue',
  'favorite favourite',
  'license licence',
];

/** Verbs that every second tool shares. They tell tools apart so badly that one stands in for another only where it is unknown. */
const genericGroups = [
  'list ls show display enumerate view',
  'find search grep lookup seek',
  'get fetch retrieve obtain read',
  'create make generate',
  'add insert append',
  'run execute invoke',
];

/** A word or phrase to those that mean the same, all in stems: `pull request` is the phrase of its words' stems. */
type Neighbours = ReadonlyMap<string, readonly string[]>;

export class Synonyms {
  /** For a search that takes every word as it stands. */
  static readonly none = new Synonyms(new Map(), new Map());
  static readonly builtin = new Synonyms(neighboursIn(tellingGroups.map(read)), neighboursIn(genericGroups.map(read)));

  readonly #telling: Neighbours;
  readonly #generic: Neighbours;

  private constructor(telling: Neighbours, generic: Neighbours) {
    this.#telling = telling;
    this.#generic = generic;
  }

  /**
   * These and the user's: each word with the words that mean the same makes a group. Groups are not joined where they share a
   * word, because it may mean another thing in each.
   */
  with(more: ReadonlyMap<string, readonly string[]>): Synonyms {
    const groups = [...more].map(([word, others]) => [word, ...others].flatMap(phraseOf));
    return new Synonyms(joined(neighboursIn(groups), this.#telling), this.#generic);
  }

  /** Further meanings of a word that tools contain. */
  of(stem: string): readonly string[] {
    return (this.#telling.get(stem) ?? []).slice(0, mostPerWord);
  }

  /** Possible meanings of a word that no tool contains. */
  standInsFor(stem: string): readonly string[] {
    const all = new Set([...(this.#telling.get(stem) ?? []), ...(this.#generic.get(stem) ?? [])]);
    return [...all].slice(0, mostPerWord);
  }
}

function read(group: string): string[] {
  return group.split(' ').flatMap(phraseOf);
}

/** Read like a query, so that it is found however it is written. Nothing where no word or too many are left. */
function phraseOf(text: string): string[] {
  const tokens = tokensOf(text);
  const [first] = tokens;
  const words =
    tokens.length === 1 && first?.whole !== undefined ? [first.whole] : tokens.flatMap(({ parts }) => parts);
  const stems = words.filter((word) => !isStopWord(word)).map(stemOf);
  return stems.length === 0 || stems.length > longestPhrase ? [] : [stems.join(' ')];
}

function neighboursIn(groups: readonly (readonly string[])[]): Neighbours {
  const found = new Map<string, Set<string>>();
  for (const group of groups) {
    for (const stem of group) {
      const others = found.get(stem) ?? new Set();
      found.set(stem, others);
      for (const other of group) if (other !== stem) others.add(other);
    }
  }
  return new Map([...found].map(([stem, others]) => [stem, [...others]]));
}

function joined(first: Neighbours, second: Neighbours): Neighbours {
  const all = new Map(second);
  for (const [stem, others] of first) all.set(stem, [...new Set([...others, ...(second.get(stem) ?? [])])]);
  return all;
}
