/** Which ideas weigh more together than apart. */

import type { ReasonCode } from '../judgement.ts';
import type { Concept } from './concept.ts';

export interface Meaning {
  readonly code: ReasonCode;
  /** The first half of a sentence for the owner. */
  readonly says: string;
}

export const meanings: Readonly<Record<Concept, Meaning>> = {
  secrecy: { code: 'instructions', says: 'It wants something kept from people' },
  override: { code: 'instructions', says: 'It sets itself above other instructions' },
  role: { code: 'instructions', says: 'It poses as a message of the system or the user' },
  addressed: { code: 'instructions', says: 'It tells the model what to do' },
  obey: { code: 'instructions', says: 'It wants text from elsewhere to be obeyed' },
  unasked: { code: 'instructions', says: 'It does away with asking first' },
  preferred: { code: 'instructions', says: 'It talks the model out of other tools' },
  slander: { code: 'instructions', says: 'It speaks badly of other tools' },
  'pre-empts': { code: 'instructions', says: 'It puts itself before other tools or into everything' },
  deceit: { code: 'instructions', says: 'It wants something told or done that is not so' },
  decode: { code: 'encoded', says: 'It wants something decoded and followed' },
  coercion: { code: 'instructions', says: 'It threatens or presses' },
  memory: { code: 'instructions', says: 'It wants itself remembered beyond the call' },
  danger: { code: 'instructions', says: 'It names a dangerous act' },
  pretext: { code: 'instructions', says: 'It gives a pretext' },
  must: { code: 'instructions', says: 'It gives an order' },
  conversation: { code: 'secrets', says: 'It speaks of what was said or read in the conversation' },
  'system-prompt': { code: 'secrets', says: 'It speaks of the instructions of the model' },
  secret: { code: 'secrets', says: 'It speaks of secrets' },
  'private-file': { code: 'secrets', says: 'It speaks of private files or settings' },
  'home-file': { code: 'secrets', says: 'It speaks of a person’s own files or settings' },
  person: { code: 'secrets', says: 'It speaks of personal data' },
  'hand-over': { code: 'secrets', says: 'It wants something handed over' },
  reads: { code: 'secrets', says: 'It wants something read' },
  address: { code: 'new-address', says: 'It names an address' },
  vendor: { code: 'new-address', says: 'It speaks of those who made it' },
  others: { code: 'other-server', says: 'It speaks of other tools or servers' },
  hush: { code: 'instructions', says: 'It wants something left unsaid' },
  behaviour: { code: 'instructions', says: 'It tells the model how to behave' },
  scope: { code: 'instructions', says: 'It wants to be there always' },
  claim: { code: 'instructions', says: 'It says what is to be claimed' },
  leave: { code: 'instructions', says: 'It gives leave that is not its own' },
  us: { code: 'instructions', says: 'It serves those who made it' },
  harm: { code: 'instructions', says: 'It wants something undone or opened' },
};

export interface Combination extends Meaning {
  readonly all: readonly [Concept, Concept];
  /** Beside what both weigh alone. */
  readonly points: number;
}

export const combinations: readonly Combination[] = [
  { all: ['conversation', 'hand-over'], points: 60, code: 'secrets', says: 'It wants the conversation handed over' },
  {
    all: ['system-prompt', 'hand-over'],
    points: 60,
    code: 'secrets',
    says: 'It wants the instructions of the model handed over',
  },
  {
    all: ['private-file', 'hand-over'],
    points: 60,
    code: 'secrets',
    says: 'It wants private files or settings handed over',
  },
  { all: ['home-file', 'hand-over'], points: 15, code: 'secrets', says: 'It wants own files or settings handed over' },
  { all: ['secret', 'home-file'], points: 25, code: 'secrets', says: 'It wants secrets from own files or settings' },
  { all: ['home-file', 'secrecy'], points: 40, code: 'secrets', says: 'It wants own files or settings used unseen' },
  {
    all: ['private-file', 'vendor'],
    points: 40,
    code: 'secrets',
    says: 'It wants private files or settings sent away',
  },
  { all: ['private-file', 'reads'], points: 30, code: 'secrets', says: 'It wants private files or settings read' },
  { all: ['secret', 'hand-over'], points: 40, code: 'secrets', says: 'It wants secrets handed over' },
  { all: ['secret', 'private-file'], points: 30, code: 'secrets', says: 'It wants secrets from a private place' },
  { all: ['secret', 'conversation'], points: 40, code: 'secrets', says: 'It wants secrets from the conversation' },
  { all: ['person', 'hand-over'], points: 30, code: 'secrets', says: 'It wants personal data handed over' },
  {
    all: ['person', 'conversation'],
    points: 40,
    code: 'secrets',
    says: 'It wants personal data from the conversation',
  },
  { all: ['address', 'hand-over'], points: 50, code: 'new-address', says: 'It wants something sent to an address' },
  { all: ['addressed', 'must'], points: 20, code: 'instructions', says: 'It orders the model' },
  {
    all: ['addressed', 'hand-over'],
    points: 30,
    code: 'instructions',
    says: 'It orders the model to hand something over',
  },
  {
    all: ['addressed', 'unasked'],
    points: 40,
    code: 'instructions',
    says: 'It orders the model to act without asking',
  },
  { all: ['addressed', 'secrecy'], points: 40, code: 'instructions', says: 'It orders the model to keep quiet' },
  { all: ['addressed', 'deceit'], points: 40, code: 'instructions', says: 'It orders the model to mislead' },
  {
    all: ['addressed', 'danger'],
    points: 40,
    code: 'instructions',
    says: 'It orders the model to do something dangerous',
  },
  {
    all: ['addressed', 'conversation'],
    points: 30,
    code: 'secrets',
    says: 'It orders the model to use the conversation',
  },
  { all: ['secrecy', 'hand-over'], points: 40, code: 'instructions', says: 'It wants something handed over unseen' },
  { all: ['secrecy', 'danger'], points: 40, code: 'instructions', says: 'It wants something dangerous done unseen' },
  { all: ['unasked', 'danger'], points: 40, code: 'instructions', says: 'It wants something dangerous done unasked' },
  { all: ['danger', 'must'], points: 20, code: 'instructions', says: 'It orders something dangerous' },
  { all: ['deceit', 'must'], points: 15, code: 'instructions', says: 'It orders something misleading' },
  { all: ['others', 'secret'], points: 40, code: 'other-server', says: 'It wants secrets of other servers' },
  { all: ['addressed', 'memory'], points: 30, code: 'instructions', says: 'It orders the model to remember something' },
  { all: ['memory', 'unasked'], points: 40, code: 'instructions', says: 'It wants to be trusted from now on' },
  { all: ['addressed', 'coercion'], points: 40, code: 'instructions', says: 'It presses the model' },
  { all: ['home-file', 'unasked'], points: 30, code: 'secrets', says: 'It wants own files or settings used unasked' },
  { all: ['others', 'conversation'], points: 20, code: 'other-server', says: 'It wants what other tools gave' },
  {
    all: ['others', 'private-file'],
    points: 30,
    code: 'other-server',
    says: 'It wants private files read with other tools',
  },
  {
    all: ['others', 'hand-over'],
    points: 20,
    code: 'other-server',
    says: 'It wants something done with other tools or servers',
  },
  { all: ['others', 'unasked'], points: 30, code: 'other-server', says: 'It wants other tools used unasked' },
  { all: ['pretext', 'person'], points: 25, code: 'secrets', says: 'It gives a pretext for taking personal data' },
  {
    all: ['pretext', 'conversation'],
    points: 25,
    code: 'secrets',
    says: 'It gives a pretext for taking the conversation',
  },
  { all: ['pretext', 'secrecy'], points: 25, code: 'instructions', says: 'It gives a pretext for keeping quiet' },
  { all: ['pretext', 'deceit'], points: 40, code: 'instructions', says: 'It gives a pretext for something misleading' },
  {
    all: ['others', 'deceit'],
    points: 40,
    code: 'other-server',
    says: 'It wants what other tools say kept back or changed',
  },
  { all: ['secret', 'vendor'], points: 60, code: 'secrets', says: 'It wants secrets sent away' },
  { all: ['conversation', 'vendor'], points: 40, code: 'secrets', says: 'It wants the conversation sent away' },
  { all: ['pretext', 'address'], points: 20, code: 'new-address', says: 'It gives a pretext for an address' },
];

/** Ideas of one family say the same thing in more than one way; a text is the odder the more families meet in it. */
export const families: Readonly<Partial<Record<Concept, string>>> = {
  ...{ secrecy: 'quiet', hush: 'quiet' },
  ...{
    conversation: 'data',
    'system-prompt': 'data',
    secret: 'data',
    'private-file': 'data',
    'home-file': 'data',
    person: 'data',
  },
  ...{ addressed: 'model', role: 'model', memory: 'model', behaviour: 'model' },
  ...{ override: 'leave', unasked: 'leave', obey: 'leave', leave: 'leave' },
  ...{ others: 'others', preferred: 'others', slander: 'others' },
  ...{ deceit: 'claim', claim: 'claim' },
  ...{ danger: 'harm', harm: 'harm' },
  ...{ scope: 'scope', 'pre-empts': 'scope' },
  ...{ pretext: 'reason', coercion: 'reason' },
  ...{ us: 'maker', vendor: 'maker', address: 'maker' },
};
/** What so many families in one place weigh, beside what each of them does. */
export const familyPoints: readonly number[] = [0, 0, 15, 45, 80, 110];
