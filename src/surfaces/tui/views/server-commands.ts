/** The orders about one server, in the list of servers and where one is shown. */

import type { LiveServer } from '../../../admin/admin.ts';
import { refreshInWords } from '../../wording/wording.ts';
import { chooseLater } from '../parts/list.ts';
import type { KeyCommand } from '../screen.ts';
import { useOrders, useTui } from '../state.ts';

export function useServerCommands(server: LiveServer | undefined): readonly KeyCommand[] {
  const { ask, go, tell, memory } = useTui();
  const { give } = useOrders();
  if (server === undefined) return [];
  const { name, state, origin } = server;
  const isOff = state === 'disabled';
  const refresh = async () => {
    tell(`Asking ${name} for its tools…`);
    const [outcome] = (await give('servers.refresh', { name, once: true })) ?? [];
    if (outcome)
      tell(outcome.error ?? `${name}: ${refreshInWords(outcome)}`, outcome.error === null ? 'done' : 'failed');
  };
  const turn = () =>
    isOff
      ? give('servers.enable', { name }, `${name} is enabled.`)
      : give('servers.disable', { name }, `${name} is disabled.`);
  const remove = () => {
    if (origin === 'file') return tell(`${name} is in the config file: remove it there.`, 'failed');
    const yes = () => void give('servers.remove', { name }, `${name} is removed.`);
    ask({ text: `Remove ${name} with its settings and approvals?`, yes });
  };
  const optimize = () => {
    chooseLater(memory, 'optimizer', name);
    go({ view: 'optimizer' });
  };
  return [
    { key: 't', label: 'Tools', run: () => go({ view: 'exposed-tools', server: name }) },
    ...(isOff ? [] : [{ key: 'r', label: 'Refresh', run: () => void refresh() }]),
    { key: 'd', label: isOff ? 'Enable' : 'Disable', run: () => void turn() },
    { key: 'o', label: 'Optimizer', run: optimize },
    { key: 'x', label: 'Remove', run: remove },
  ];
}
