/** Review: definitions and calls that wait for the owner, and what was decided about them. */

import { useLayoutEffect } from 'preact/hooks';
import type { DefinitionChange } from '../../../admin/admin.ts';
import { countStates, isUndecided } from '../../wording/wording.ts';
import { Empty, Panel, WhenFetched } from '../parts/basic.tsx';
import { Check } from '../parts/fields.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { type PageAddress, pageLink, setQuery, useAddress } from '../router.ts';
import { useOperation, useWaitingCalls } from '../state.ts';
import { ReviewHistory } from './review/history.tsx';
import { StandingApprovals } from './review/standing-approvals.tsx';
import { WaitingCalls } from './review/waiting-calls.tsx';
import { WaitingDefinitions } from './review/waiting-definitions.tsx';

export function ReviewPage({ address: { query } }: { readonly address: PageAddress }) {
  const list = useOperation('changes.list', {}, ['definitions']);
  const approvals = useWaitingCalls();
  const call = query.get('call');
  const server = query.get('server') ?? '';
  const shown = query.get('tab') ?? (call === null ? 'definitions' : 'calls');
  const all = list.data?.changes ?? [];
  const changes = all.filter((change) => server === '' || change.server === server);
  const counts = { definitions: all.filter(isUndecided).length, calls: approvals.length };
  const isCallsAlone = list.data !== undefined && counts.definitions === 0 && counts.calls > 0;
  useLayoutEffect(() => {
    // Written down, so that the view stays when the last call is answered.
    if (isCallsAlone && !query.has('tab')) setQuery({ tab: 'calls' });
  }, [isCallsAlone, query]);
  return (
    <>
      <Panel title="Review" tools={<Tabs label="Views of review" shown={shown} counts={counts} />}>
        {shown === 'definitions' && (
          <WhenFetched answer={list}>{() => <ReviewSummary changes={changes} server={server} />}</WhenFetched>
        )}
        {shown === 'calls' && <WaitingCalls first={call ?? undefined} />}
        {shown === 'standing' && <StandingApprovals />}
        {shown === 'history' && <ReviewHistory server={server} />}
      </Panel>
      {shown === 'definitions' && list.data && (
        <WaitingDefinitions list={list.data} changes={query.has('rejected') ? changes : changes.filter(isUndecided)} />
      )}
    </>
  );
}

interface ReviewSummaryProps {
  readonly changes: readonly DefinitionChange[];
  /** Only this one; empty: all. */
  readonly server: string;
}

function ReviewSummary({ changes, server }: ReviewSummaryProps) {
  const hasRejected = !changes.every(isUndecided);
  const isShown = useAddress().query.has('rejected');
  return (
    <>
      {changes.some(isUndecided) || <Empty title="Nothing to review">Every definition is as approved.</Empty>}
      <div class="tools summary">
        {changes.length > 0 && <span>{countStates(changes)}.</span>}
        {server !== '' && <a href={pageLink(['review'])}>All servers</a>}
        {hasRejected && (
          <Check isOn={isShown} onValue={(isOn) => setQuery({ rejected: isOn ? 'shown' : undefined })}>
            Show rejected
          </Check>
        )}
      </div>
    </>
  );
}
