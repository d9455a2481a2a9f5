/** Categories of tools, found by weighing words of a definition: a whole word counts, and a name counts more than a description. */

export interface Category {
  readonly name: string;
  readonly description: string;
  /** Whole words that speak for it, with spaces between. */
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

const index = buildIndex();
const weights = { server: 2, name: 3, description: 1 };
const found = new WeakMap<object, string>();

/** The category of a tool. A definition is immutable, so it is worked out once. */
export function categoryOf(definition: Readonly<Record<string, unknown>>, server: string): string {
  const known = found.get(definition);
  if (known) return known;
  const scores = new Map<string, number>();
  score(server, weights.server, scores);
  score(String(definition.name ?? ''), weights.name, scores);
  score(String(definition.description ?? '').slice(0, 400), weights.description, scores);
  let best = 'other';
  let most = 1;
  for (const [name, points] of scores) {
    if (points > most) {
      best = name;
      most = points;
    }
  }
  found.set(definition, best);
  return best;
}

/** Each word counts once a text, so that a long description cannot outvote a name by repeating itself. */
function score(text: string, weight: number, scores: Map<string, number>): void {
  for (const word of new Set(wordsOf(text))) {
    for (const category of index.get(word) ?? []) scores.set(category, (scores.get(category) ?? 0) + weight);
  }
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

function buildIndex(): ReadonlyMap<string, readonly string[]> {
  const out = new Map<string, string[]>();
  for (const { name, words } of categories) {
    for (const word of words.split(' ')) out.set(word, [...(out.get(word) ?? []), name]);
  }
  return out;
}
