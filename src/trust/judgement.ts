/** The words in which definitions are judged: grades, reasons, findings, and what a definition is seen beside. */

/** A server's words about one thing it offers, or about itself. */
export type Definition = Readonly<Record<string, unknown>>;

/** Harmless and notable changes pass and are recorded; a risky one waits for the owner. */
export const grades = ['harmless', 'notable', 'risky'] as const;
export type Grade = (typeof grades)[number];

/** Each reason in words that hold nothing a server wrote: these are what an agent may be told. */
export const reasonWords = {
  instructions: 'new instructions to the model',
  'hidden-text': 'hidden characters',
  encoded: 'an encoded text',
  secrets: 'it asks for secrets or for the conversation',
  'other-server': 'it speaks of tools of other servers',
  shadows: "it takes another tool's name",
  deed: 'it does something new',
  default: 'a dangerous default value',
  hint: 'it promises less than before',
  wider: 'it accepts more than before',
  output: 'its answers have another form',
  meta: 'it tells programs something new',
  'new-address': 'a new address that data may go to',
  'too-long': 'it is too long to be read as a whole',
  unapproved: 'it is new, and nothing new is taken without approval',
  'held-before': 'it was withheld before',
  wording: 'other words',
  parameter: 'other parameters',
  detail: 'another detail',
} as const;
export type ReasonCode = keyof typeof reasonWords;

export interface Reason {
  readonly code: ReasonCode;
  /** A path such as `description` or `inputSchema.properties.path.description`. */
  readonly where: string;
  /** For the owner. */
  readonly sentence: string;
}

/** One finding of a scan. Hard: it is withheld; soft: it is shown for review. */
export interface Finding extends Reason {
  readonly weight: 'hard' | 'soft';
}

/** `reasons` are those of the grade. */
export interface Judgement {
  readonly grade: Grade;
  readonly reasons: readonly Reason[];
}

/** One thing that was noticed about a change. */
export interface Notice extends Reason {
  readonly grade: Grade;
}

/** The other names and tools: a definition could imitate or mention them. */
export interface Neighbours {
  /** The server of the definition. */
  readonly server: string;
  /** The names of our own tools. */
  readonly ownNames: ReadonlySet<string>;
  /** The other servers, and the names of their tools; the server of the definition does not count, if it is among them. */
  readonly others: ReadonlyMap<string, ReadonlySet<string>>;
  /** The names of the tools of the same server, which its definitions may speak of. */
  readonly siblings?: ReadonlySet<string> | undefined;
}

/** The gravest grade counts, with the reasons for it. */
export function judgementOf(notices: readonly Notice[]): Judgement {
  const grade = grades.findLast((item) => notices.some((notice) => notice.grade === item)) ?? 'harmless';
  const reasons = notices.filter((notice) => notice.grade === grade);
  return { grade, reasons: reasons.map(({ code, where, sentence }) => ({ code, where, sentence })) };
}

/** Reasons as the end of a sentence to anybody: each kind once. */
export function reasonsInWords(reasons: readonly Pick<Reason, 'code'>[]): string {
  return [...new Set(reasons.map(({ code }) => reasonWords[code]))].join('; ');
}
