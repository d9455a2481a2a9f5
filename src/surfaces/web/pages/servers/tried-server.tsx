/** A server on trial: its offer, the findings of the check, and a permission for each tool, to keep it or discard it. */

import { useLayoutEffect, useState } from 'preact/hooks';
import type { ShownTrial, TriedTool } from '../../../../admin/admin.ts';
import { firstSentence } from '../../../../base/text.ts';
import { stayWithTrial } from '../../../live/live.ts';
import {
  chosenPermissions,
  claimsInWords,
  findingsInWords,
  offersInWords,
  trialAdvice,
  verdictWords,
} from '../../../wording/wording.ts';
import { Badge, Button, Failed, Panel } from '../../parts/basic.tsx';
import { Select } from '../../parts/fields.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { Said, SaidLines, Time, visibleText } from '../../parts/texts.tsx';
import { goTo } from '../../router.ts';
import { runInBackground } from '../../session.ts';
import { useOrder } from '../../state.ts';
import { permissionWords } from '../access/project-form.tsx';

interface TriedServerProps {
  readonly trial: ShownTrial;
  /** Back to the form. */
  readonly onBack: () => void;
}

type Permission = TriedTool['permission'];
type Chosen = ReadonlyMap<string, Permission>;

export function TriedServer({ trial, onBack }: TriedServerProps) {
  const { name, isNew, tools, error, endsAt } = trial;
  const [chosen, choose] = useState<Chosen>(new Map());
  const [isKept, setKept] = useState(false);
  const isOver = useTrialEnd(trial) && !isKept;
  const order = useOrder();
  const keep = async () => {
    setKept(true);
    const permissions = chosenPermissions(tools, chosen);
    const what = isNew ? `Server “${name}”` : `The connection of “${name}”`;
    if (await order.give('servers.keep', { name, trial: trial.trial, permissions }, `${what} is kept.`))
      goTo(['servers', name]);
    else setKept(false);
  };
  const isFine = error === null && !isOver;
  return (
    <Panel title={isNew ? `Keep “${name}”?` : `Keep the new connection of “${name}”?`}>
      {error === null ? <p>{`It works, and offers ${offersInWords(trial)}.`}</p> : <TrialTrouble trial={trial} />}
      <TrialNotices trial={trial} />
      <TriedTools trial={trial} chosen={chosen} onChoose={choose} />
      {isOver ? (
        <p class="notice warn" role="alert">
          The trial has ended, and nothing was kept. Go back to the form to try it again.
        </p>
      ) : (
        <p class="soft">
          {isNew
            ? 'Agents see nothing of it until you keep it.'
            : 'Agents use the old connection until you keep this one.'}{' '}
          The trial ends when you leave this page, or at <Time at={endsAt} />.
        </p>
      )}
      <div class="tools">
        <Button
          label={error === null ? 'Keep' : 'Keep anyway'}
          class={isFine ? 'main' : ''}
          disabled={order.isRunning || isOver}
          onClick={() => void keep()}
        />
        <Button label="Edit again" class={isFine ? '' : 'main'} disabled={order.isRunning} onClick={onBack} />
        <Button
          label="Discard"
          disabled={order.isRunning}
          onClick={() => goTo(isNew ? ['servers'] : ['servers', name])}
        />
      </div>
    </Panel>
  );
}

/** True once the trial has ended. Leaving the page ends it. */
function useTrialEnd({ name, trial }: ShownTrial): boolean {
  const [isOver, setOver] = useState(false);
  useLayoutEffect(() => {
    const ask = (input: { name: string; trial: string }, signal: AbortSignal) =>
      runInBackground('servers.stay', input, signal);
    return stayWithTrial({ name, trial }, { ask, onEnd: () => setOver(true) });
  }, [name, trial]);
  return isOver;
}

function TrialTrouble({ trial }: { readonly trial: ShownTrial }) {
  const { error, stderr } = trial;
  return (
    <>
      <Failed message={error ?? ''} hint={trialAdvice(trial) ?? undefined} />
      {stderr !== '' && <SaidLines text={stderr} label="Output" />}
    </>
  );
}

/** The most findings on the page; nobody reads more. */
const mostFindings = 20;

function TrialNotices({ trial }: { readonly trial: ShownTrial }) {
  const { name, isOther, removed } = trial;
  const findings = findingsInWords(trial);
  return (
    <>
      {isOther && (
        <p class="notice warn">
          This is another program or address: what you approved for “{name}” does not hold for it. Toolcrib checks its
          definitions like those of a new server.
        </p>
      )}
      {removed.length > 0 && (
        <p>
          Removed: <Said text={removed.join(', ')} />
        </p>
      )}
      {findings.slice(0, mostFindings).map((finding) => (
        <Said as="p" key={finding} class="notice warn" text={finding} />
      ))}
      {findings.length > mostFindings && <p class="soft">{`And ${findings.length - mostFindings} more.`}</p>}
    </>
  );
}

interface TriedToolsProps {
  readonly trial: ShownTrial;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

function TriedTools({ trial: { tools, added, isNew }, chosen, onChoose }: TriedToolsProps) {
  if (tools.length === 0) return null;
  const news = new Set(isNew ? [] : added);
  const tool: RowColumn<TriedTool> = {
    title: 'Tool',
    show: ({ name }) => (
      <>
        <Said text={name} /> {news.has(name) && <Badge>new</Badge>}
      </>
    ),
    order: ({ name }) => name,
    below: ({ annotations }) => claimsInWords(annotations),
  };
  const permission: RowColumn<TriedTool> = {
    title: 'Permission',
    show: (tool) => (
      <Select
        label={`Permission of ${visibleText(tool.name)}`}
        value={chosen.get(tool.name) ?? tool.permission}
        choices={permissionWords}
        onValue={(wanted) => onChoose(new Map(chosen).set(tool.name, wanted))}
      />
    ),
  };
  return (
    <>
      <Rows
        label="Tools"
        rows={tools}
        columns={[tool, ...factColumns, permission]}
        keyOf={({ name }) => name}
        empty={null}
      />
      {tools.length > 1 && (
        <p class="tools">
          <span>For all tools:</span>
          {permissionWords.map((wanted) => (
            <Button
              key={wanted}
              label={wanted}
              onClick={() => onChoose(new Map(tools.map(({ name }) => [name, wanted])))}
            />
          ))}
        </p>
      )}
    </>
  );
}

const factColumns: readonly RowColumn<TriedTool>[] = [
  {
    title: 'Check',
    show: ({ verdict }) => (verdict === null ? null : <Badge tone="warn">{verdictWords[verdict]}</Badge>),
    order: ({ verdict }) => verdict ?? '',
  },
  { title: 'Claims', show: ({ annotations }) => claimsInWords(annotations), isExtra: true },
  {
    title: 'What it does',
    show: ({ description }) => <Said text={firstSentence(description)} />,
    isExtra: true,
    isProse: true,
  },
];
