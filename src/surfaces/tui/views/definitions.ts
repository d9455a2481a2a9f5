/** Definitions to decide about, one or all of an upgrade: why they wait, what differs, and the decision about exactly these wordings. */

import { useEffect } from 'react';
import type { DefinitionChange, ServerUpgrade } from '../../../admin/admin.ts';
import { plural } from '../../../base/plural.ts';
import {
  changeKey,
  changesInUpgrade,
  decisionOrders,
  isWaiting,
  placeInWords,
  remarksAbout,
  sayReason,
  sortChanges,
  stateInWords,
  upgradeInWords,
} from '../../wording/wording.ts';
import { textDiff } from '../parts/diff.ts';
import { gap, inLine, paragraph, signed, stack } from '../parts/layout.ts';
import { useScroll } from '../parts/scroll.ts';
import { say } from '../parts/text.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { useAnswer, useOrders, useTui } from '../state.ts';

interface DefinitionsAddress {
  /** Of the wordings that are meant: another wording of the same definition is not. */
  readonly keys: readonly string[];
  /** The server whose upgrade they are. */
  readonly upgradeOf?: string;
}

export function useDefinitionsView({ keys, upgradeOf }: DefinitionsAddress): Screen {
  const { rows } = useTui();
  const listed = useAnswer('changes.list', {}, ['definitions']).data;
  const changes = (listed?.changes ?? []).filter((change) => keys.includes(changeKey(change)));
  const own = listed && sortChanges(listed).find(({ server }) => server === upgradeOf);
  const isOther = own !== undefined && !changesInUpgrade(own).every((change) => keys.includes(changeKey(change)));
  const isGone = listed !== undefined && (changes.length < keys.length || isOther);
  const scroll = useScroll({
    ...{ name: keys.join(), rows },
    content: stack(
      isGone ? paragraph(goneInWords(changes.length), undefined, 'notice') : null,
      ...(own?.upgrade ? upgradeInFull(own.upgrade) : []),
      ...changes.flatMap(changeInFull),
    ),
  });
  useNoteShown(changes, scroll.isWholeSeen);
  const decisions = useDecisions(isGone ? [] : changes, scroll.isWholeSeen);
  const [first] = changes;
  return {
    title: upgradeOf === undefined ? `Review: ${first?.key ?? 'decided'}` : `Review: upgrade of ${upgradeOf}`,
    commands: [...decisions, ...scroll.commands],
    body: scroll.body,
  };
}

function goneInWords(left: number): string {
  const end = 'Esc, then Enter shows what waits now.';
  return left === 0
    ? `This was decided, or the server has changed it again. ${end}`
    : `The server has changed again, or part of this was decided. ${end}`;
}

/** Orders name the fingerprints that were on the screen: the gateway refuses any other wording. */
function useDecisions(changes: readonly DefinitionChange[], isWholeSeen: boolean): readonly KeyCommand[] {
  const { ask, back } = useTui();
  const { give, isRunning } = useOrders();
  if (changes.length === 0 || isRunning) return [];
  const decide = async (decision: 'approve' | 'reject') => {
    const done = decision === 'approve' ? 'accepted' : 'rejected';
    for (const order of decisionOrders(changes)) {
      const words = `${plural(order.only.length, 'definition')} of ${order.server} ${done}. Undo it in the history (h).`;
      if ((await give(`changes.${decision}`, order, words)) === undefined) return;
    }
    back();
  };
  const accept = () => {
    if (isWholeSeen) return void decide('approve');
    ask({ text: 'You have not seen all of it. Accept it all the same?', yes: () => void decide('approve') });
  };
  const all = changes.length > 1 ? ` all ${changes.length}` : '';
  return [
    { key: 'a', label: `Accept${all}`, run: accept },
    ...(changes.some(({ state }) => state !== 'rejected')
      ? [{ key: 'x', label: `Reject${all}`, run: () => void decide('reject') }]
      : []),
  ];
}

/** The command line accepts without a question only what a person was shown whole. */
function useNoteShown(changes: readonly DefinitionChange[], isWholeSeen: boolean): void {
  const { run } = useTui();
  const unseen = changes.filter(({ wasShown }) => !wasShown);
  const marks = unseen.map(changeKey).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marks stand for the definitions
  useEffect(() => {
    const items = unseen.map(({ server, kind, name, fingerprint }) => ({ server, kind, name, fingerprint }));
    // If the mark is lost, somebody only has to look once more.
    if (isWholeSeen && items.length > 0) run('changes.shown', { items }).catch(() => {});
  }, [run, isWholeSeen, marks]);
}

function upgradeInFull(upgrade: ServerUpgrade) {
  const { from, to, added, changed, removed } = upgrade;
  const names = (title: string, keys: readonly string[]) =>
    keys.length === 0 ? [] : [paragraph(`${title}: ${keys.map((key) => key.slice(key.indexOf(':') + 1)).join(', ')}`)];
  return [
    paragraph(`Upgraded from ${from} to ${to}: ${upgradeInWords(upgrade)}`),
    ...names('New', added),
    ...names('Changed', changed),
    ...names('Removed', removed),
    gap('after upgrade'),
  ];
}

function changeInFull(change: DefinitionChange) {
  const { key, kind, grade, reasons, differences, approvedFingerprint, comparedFingerprint, fingerprint } = change;
  const from = approvedFingerprint === null ? 'nothing approved' : comparedFingerprint?.slice(0, 12);
  const tone = isWaiting(change) ? 'bad' : 'notice';
  return [
    inLine(
      say(key, 'strong'),
      say(kind === 'tool' ? '' : `(${kind})`),
      say(`${from === undefined ? '' : `${from} → `}${fingerprint.slice(0, 12)}`, 'faint'),
    ),
    paragraph(`${stateInWords(change)}${grade === null ? '' : `; the change is ${grade}`}`, undefined, tone),
    ...reasons.map((reason) => signed(tone === 'bad' ? '!' : '?', paragraph(sayReason(reason)), tone)),
    ...remarksAbout(change).map((remark) => paragraph(remark)),
    ...differences.flatMap(({ where, change: verb, before, after }) => [
      gap(`before ${where}`),
      say(`${placeInWords(where)}${verb === 'changed' ? '' : ` ${verb}`}:`),
      textDiff(before, after),
    ]),
    gap(`after ${key}`),
  ];
}
