/** One server: how it is and why, its tools and how agents have them, and its last output. */

import { Fragment, createElement as h, type ReactElement, type ReactNode } from 'react';
import type { LiveServer, ServerDetails, SurveyedTool } from '../../../admin/admin.ts';
import { agoInWords } from '../../../base/amounts.ts';
import { connectionInWords, definitionsToReview, toolStateInWords, whyFixed } from '../../wording/wording.ts';
import { cells, facts, gap, paragraph, stack } from '../parts/layout.ts';
import { useScroll } from '../parts/scroll.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useLivePart, useTerminalTime, useTui } from '../state.ts';
import { useServerCommands } from './server-commands.ts';
import { useServerSignIn } from './server-sign-in.ts';
import { serverTone } from './servers.ts';

/** The last lines of its output that are shown. */
const outputLines = 40;

export function useServerView({ name }: { readonly name: string }): Screen {
  const { rows, columns } = useTui();
  const servers = useLivePart(({ view }) => view?.servers);
  const live = servers?.get(name);
  const asked = live === undefined ? null : { name };
  const { data: details, error } = useAnswer('servers.show', asked, ['servers', 'tools', 'config']);
  const tools = useAnswer('tools.survey', live ? { server: name } : null, ['tools', 'definitions', 'servers']).data;
  const output = useAnswer('servers.output', asked, ['servers']).data?.stderr ?? '';
  const now = useTerminalTime(live?.nextRetryAt ? 1_000 : 30_000);
  const orders = useServerCommands(live);
  const signIn = useServerSignIn(name, live !== undefined);
  const content =
    live && details
      ? stack(
          trouble(live, now),
          signIn.body,
          factsOf(live, details, now),
          ...details.notes.map((note) => paragraph(note, undefined, 'notice')),
          ...(live.state === 'failed'
            ? [outputOf(output), toolsOf(tools, columns)]
            : [toolsOf(tools, columns), outputOf(output)]),
        )
      : say(error === undefined ? '' : troubleInWords(error), 'bad');
  const scroll = useScroll({ name: `server ${name}`, rows, content });
  const isGone = servers !== undefined && live === undefined;
  return {
    title: `Server ${name}`,
    commands: [...(signIn.onKey ? [] : orders), ...signIn.commands, ...scroll.commands],
    onKey: signIn.onKey,
    body: isGone ? stack(say(`There is no server ${name} any more.`, 'faint')) : scroll.body,
  };
}

function trouble({ lastError, hint, state, nextRetryAt }: LiveServer, now: number): ReactNode {
  if (lastError === null || state === 'connected') return null;
  return stack(
    paragraph(`✗ ${lastError}`, undefined, 'bad'),
    hint === null ? null : paragraph(hint),
    nextRetryAt === null ? null : say(`Toolcrib tries again ${agoInWords(nextRetryAt, now)}, and with the next call.`),
    gap('gap'),
  );
}

function factsOf(live: LiveServer, details: ServerDetails, now: number): ReactElement {
  const { connection, place } = details;
  const { listedAt, staleSince, lastChange, lastChangeSummary } = live;
  const isUrl = 'url' in connection;
  const names = isUrl ? connection.headers : connection.env;
  const waiting = definitionsToReview(live);
  const rows: readonly (readonly [string, string | false | null, (TextTone | undefined)?])[] = [
    ['State', live.state, serverTone(live.state)],
    ['Connection', connectionInWords(live)],
    isUrl ? ['URL', connection.url] : ['Command', [connection.command, ...connection.args].join(' ')],
    ['Folder', isUrl ? null : connection.cwd],
    [isUrl ? 'Headers' : 'Environment', names.join(', ')],
    ['Listed', listedAt === null ? 'never' : agoInWords(listedAt, now)],
    ['Out of date', staleSince && `since ${agoInWords(staleSince, now)}`, 'notice'],
    ['Last change', lastChange && `${lastChangeSummary}, ${agoInWords(lastChange, now)}`],
    ['Review', waiting > 0 && `${waiting} to decide or to look at`, 'notice'],
    ['Kept in', place ?? (live.origin === 'store' && 'the data folder')],
  ];
  return stack(
    facts(
      rows.flatMap(([label, value, tone]) => (value ? [[label, value, tone] as const] : [])),
      3,
    ),
    live.origin === 'file' && place === null ? paragraph(whyFixed(details) ?? '', undefined, 'faint') : null,
  );
}

/** From here on there is room for what a tool does. */
const wideColumns = 110;

function toolsOf(tools: readonly SurveyedTool[] | undefined, columns: number): ReactElement {
  const row = (texts: readonly [string, string, string, string, string], tone?: TextTone, state = tone) => {
    const [name, agents, permission, calls, description] = texts;
    return cells([
      { text: name, width: 30, tone },
      { text: agents, width: 18, tone: state },
      { text: permission, width: 10, tone },
      { text: calls, width: 6, isNumber: true, tone },
      { text: columns < wideColumns ? '' : description, tone: 'faint' },
    ]);
  };
  const none = tools === undefined ? null : say('No tools are known.', 'faint');
  return stack(
    gap('gap'),
    say(`Tools${tools ? ` (${tools.length})` : ''}`, 'strong'),
    tools?.length ? row(['NAME', 'FOR AGENTS', 'PERMISSION', 'CALLS', 'WHAT IT DOES'], 'faint') : none,
    ...(tools ?? []).map((tool) => {
      const { toolKey, name, permission, callCount, description } = tool;
      const texts = [name, toolStateInWords(tool), permission, `${callCount}`, description] as const;
      return h(Fragment, { key: toolKey }, row(texts, undefined, toolTone(tool)));
    }),
  );
}

function toolTone({ absence, permission }: SurveyedTool): TextTone | undefined {
  if (absence === null) return permission === 'ask' ? undefined : 'good';
  if (absence === 'failing') return 'bad';
  return absence === 'withheld' || absence === 'on-hold' ? 'notice' : 'faint';
}

function outputOf(stderr: string): ReactNode {
  const lines = stderr.trimEnd().split('\n').slice(-outputLines);
  if (stderr.trim() === '') return null;
  return stack(gap('gap'), say('Output', 'strong'), paragraph(lines.join('\n'), undefined, 'faint'));
}
