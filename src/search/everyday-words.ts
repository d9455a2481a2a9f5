/** Everyday words for what tools do, in the words that tools use: commands of a shell, phrasal verbs, questions. */

/** In characters: a page is no everyday sentence. */
const longestRead = 300;

/** Commands that are no words otherwise. */
const commands: Readonly<Record<string, string>> = {
  awk: 'extract text from a file',
  chmod: 'change file permissions',
  chown: 'change the owner of a file',
  cp: 'copy file',
  crontab: 'schedule a job',
  curl: 'fetch url',
  df: 'disk space',
  grep: 'search text in files',
  htop: 'list processes',
  ls: 'list directory',
  mkdir: 'create directory',
  mv: 'move file',
  nslookup: 'dns lookup',
  pgrep: 'find processes',
  pkill: 'kill process',
  ps: 'list processes',
  psql: 'run sql query',
  pwd: 'current directory',
  rg: 'search text in files',
  rm: 'delete file',
  rmdir: 'delete directory',
  rsync: 'copy files to a server',
  scp: 'upload file to a remote server',
  sed: 'replace text in a file',
  sha256sum: 'hash of a text',
  sudo: 'run privileged command',
  uname: 'system information',
  unzip: 'extract archive',
  wc: 'count lines of a file',
  wget: 'fetch url',
  whoami: 'current user',
};

/** Commands that are words as well (`du` is German and French): taken for commands alone, and before a path or a flag. */
const words: Readonly<Record<string, string>> = {
  cat: 'read file',
  date: 'current date and time',
  dig: 'dns lookup',
  du: 'directory sizes',
  head: 'read the first lines of a file',
  kill: 'kill process',
  less: 'read file',
  ssh: 'run command on a remote server',
  stat: 'get file info',
  tail: 'read the last lines of',
  top: 'list processes',
  touch: 'write new file',
  tree: 'directory tree',
};

/** Those of them that people say of a thing too: `cat the readme`, `kill 4711`. */
const withThings = 'cat|kill|stat|tail';
const article = '(?:an?|another|the|this|that|these|those|my|our|all|some|new)';
const record = '(?:pull request|merge request|pr|mr|issue|bug|ticket|incident|case|task|request)';

/** Phrases and their plain words. `$1` keeps a part and `$&` the whole phrase, where tools are named by such words. */
const phrases: readonly (readonly [said: string, meant: string])[] = [
  [`(?:open|file|raise|log|submit|start|cut) (?:an?|another|new) ((?:new )?${record}s?)`, 'create $1'],
  ['(?:start|open|make) (?:an?|another|new) (?:new )?(branch|repo|repository|folder|directory|note|page)', 'create $1'],
  ['set up (an?|the|another|my|our)', 'create $1'],
  ['call off', 'cancel delete'],
  ['throw (.{0,40}?) ?away|get rid of|throw out', 'delete $1'],
  ['(?:look|search) (.{1,40}?) up\\b|look up', 'search $1'],
  ['look for|look through', 'search'],
  ['(?:take|have) a look at|look at|look into|peek at', 'read get'],
  ['undo', 'undo revert reset'],
  ['roll back', '$& undo revert'],
  ['(?:take|roll|put) (.{1,40}?) back\\b|take back|change my mind', 'undo revert $1'],
  ['(?:tick|cross) (.{0,40}?) ?off|check off|check (.{1,40}?) off (?=(?:my|our|the) )', 'mark done complete $1$2 '],
  ['(?:put|set|lay) (.{1,40}?) aside', 'stash $1'],
  ['(?:put|push|move) (.{1,40}?) (?:off|to another day)', 'update move $1'],
  ['turn down', '$& decline'],
  ['shut down|turn off|switch off', '$& stop'],
  ['(?:leave|drop) an? (note|comment|reply|message)', 'add $1'],
  ['(?:get|give) (.{0,30}?) ?money back', 'refund $1'],
  ['say (?:yes|no) to', 'respond accept decline'],
  ['who (?:wrote|changed|broke|touched|last edited)', 'blame author of'],
  ['(?:what|which) (?:did|have) (?:i|we) chang\\w*|what changed|what is different', 'diff changes status'],
  ['what do (?:you|we) (?:remember|know) about', 'search memory nodes'],
  ['(?:remember|keep in mind|note down|make a note)(?: that| this| of)?', 'remember add observation to memory'],
  ['^(?:please )?forget', 'forget delete from memory'],
  ['(?:am i|are we|is he|is she|are they) (?:free|busy|available)|do i have time', 'calendar free busy availability'],
  ['(?:do i have|is there) anything (?:on|planned)|what is on my calendar', 'list calendar events'],
  ['how long ago|how long has it been|how long since|since when', 'time since, relative time ago'],
  [
    'how many (days|weeks|months) (?:until|till|to|before)|how (?:long|much time) (?:until|till)',
    'days between dates $1',
  ],
  ['what time is it|what is the time|what day is it|what is the date', 'get current time date'],
  ['how far', 'distance'],
  ['how (?:do (?:i|we)|to) get (?=(?:to|from|home|there)\\b)', 'directions route '],
  ['ssh (?:in)?to', 'run command on remote'],
  ['by (?:bus|train|tram|metro)', 'public transit'],
  ['where am i|where are we', 'current location'],
  ['go to (https?:\\S+|\\S+\\.(?:com|org|net|io|dev)\\b)', 'navigate to url $1'],
  ['(?:how big|how large)', 'size info'],
  ['(?:say|write|talk|shout) (.{0,30}?) ?to (the team|everybody|everyone|the channel)', 'send post message $1 to $2'],
];

const rules = phrases.map(([said, meant]) => [new RegExp(`\\b(?:${said})\\b`, 'gi'), meant] as const);
/** Most queries hold none of them, and are not looked at further. */
const anyPhrase = new RegExp(`\\b(?:${phrases.map(([said]) => said).join('|')})\\b`, 'i');
const path = '[-~.]|\\S*/|\\S*\\.\\w+(?=\\s|$)';
const ambiguous = new RegExp(
  `^(${Object.keys(words).join('|')})(?=$|\\s+(?:${path})|(?<=^(?:${withThings}))\\s+(?:${article}\\b|\\d))`,
  'i',
);
const plain = new RegExp(`^(${Object.keys(commands).join('|')})(?=\\s|$)`, 'i');

/** The query in the words of tools, where it uses everyday ones; otherwise as it is. */
export function inPlainWords(query: string): string {
  const text = query.trim();
  if (text.length > longestRead) return query;
  const command = (plain.exec(text) ?? ambiguous.exec(text))?.[1]?.toLowerCase();
  if (command !== undefined) return `${commands[command] ?? words[command]}${text.slice(command.length)}`;
  if (!anyPhrase.test(text)) return query;
  return rules.reduce((said, [pattern, meant]) => said.replace(pattern, meant), query);
}
