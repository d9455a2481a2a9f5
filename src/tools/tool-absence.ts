/** Why a tool is missing for a principal, for the owner who may know: one reason, in the order in which the rule and the catalog decide. */

import { type AccessRefusal, type Principal, refusalOf, serverRefusalOf } from '../access/access.ts';
import { nearest } from '../base/nearest.ts';
import type { ServerEntry, Snapshot } from '../catalog/catalog.ts';
import type { Uses } from './layers.ts';
import { didYouMean, explanations, settingsPlace, shownName, toolNamed } from './resolve-tool.ts';

/**
 * The refusals of the rule; `withheld`: never approved; `on-hold`: changed since it was approved; `failing` and `unlisted`:
 * its server does not work, or was never listed; `unknown`: there is no such name.
 */
export type Absence = AccessRefusal | 'withheld' | 'on-hold' | 'failing' | 'unlisted' | 'unknown';

type AbsenceLayers = Uses<'catalog' | 'downstream'>;

/** One server, or one tool of it by the name under which it is called. */
export interface AbsenceSubject {
  readonly server: string;
  readonly tool: string | null;
}

/** null: agents find it and can call it. */
export function absenceOf(layers: AbsenceLayers, principal: Principal, subject: AbsenceSubject): Absence | null {
  const server = layers.catalog.snapshot.servers.get(subject.server);
  if (!server) return 'unknown';
  return (
    serverRefusalOf(principal, server.spec) ??
    (subject.tool === null ? null : absenceOfTool(server, principal, subject.tool)) ??
    (layers.catalog.failing.has(subject.server) ? 'failing' : null) ??
    (server.listedAt === null ? 'unlisted' : null)
  );
}

function absenceOfTool(server: ServerEntry, principal: Principal, name: string): Absence | null {
  if (server.heldTools.has(name)) return 'withheld';
  const { entry, serverName } = toolNamed(server, name);
  if (!entry && !server.hiddenTools.has(name)) return server.listedAt === null ? null : 'unknown';
  return refusalOf(principal, server.spec, serverName) ?? (entry?.hold ? 'on-hold' : null);
}

/** An answer in one sentence, with what to do about it. */
export interface ToldAbsence extends AbsenceSubject {
  readonly reason: Absence | null;
  readonly message: string;
  readonly hint: string | null;
}

export function tellAbsence(layers: AbsenceLayers, principal: Principal, subject: AbsenceSubject): ToldAbsence {
  const reason = absenceOf(layers, principal, subject);
  const { server, tool } = subject;
  const what = tool === null ? `server "${shownName(server)}"` : `"${shownName(`${server}:${tool}`)}"`;
  const told = (message: string, hint: string | null = null) => ({ ...subject, reason, message, hint });
  const status = layers.downstream.status(server);
  switch (reason) {
    case null:
      return told(`Agents see ${what}${tool === null ? '' : ' and can call it'}.`);
    case 'unknown':
      return told(`There is no ${tool === null ? what : `tool ${what}`}.`, near(layers.catalog.snapshot, subject));
    case 'withheld':
      return told(`Agents do not see ${what}: it is withheld until you approve it.`, 'Decide about it under Review.');
    case 'on-hold':
      return told(
        `Agents cannot call ${what}: it is on hold, because its server changed it after it was approved.`,
        'Decide about it under Review.',
      );
    case 'failing':
      return told(
        `Agents cannot call ${what}: its server does not work. ${status?.lastError ?? ''}`.trim(),
        status?.hint ?? null,
      );
    case 'unlisted':
      return told(`Agents do not see ${what}: its server was never listed.`, `Refresh server "${server}".`);
    default: {
      const { why, hint } = explanations[reason];
      const spec = layers.catalog.snapshot.servers.get(server)?.spec;
      const place = settingsPlace(spec ?? { origin: 'file' });
      return told(`Agents do not see ${what}: ${why(server, principal)}.`, hint(server, principal, place));
    }
  }
}

/** Everything that somebody may have meant by a name: `server:tool`, a server, a tool of any server, or `server.tool` as agents write it. Never empty. */
export function subjectsNamed(snapshot: Snapshot, name: string): AbsenceSubject[] {
  const colon = name.indexOf(':');
  if (colon !== -1) return [{ server: name.slice(0, colon), tool: name.slice(colon + 1) }];
  if (snapshot.servers.has(name)) return [{ server: name, tool: null }];
  const found = [...snapshot.servers.values()]
    .filter((server) => allNames(server).includes(name))
    .map(({ spec }) => ({ server: spec.name, tool: name }));
  if (found.length > 0) return found;
  const [server = '', ...rest] = name.split('.');
  return [
    rest.length > 0 && snapshot.servers.has(server) ? { server, tool: rest.join('.') } : { server: name, tool: null },
  ];
}

/** Every name of a tool that a server has, whether agents see it or not. */
export function allNames({ tools, hiddenTools, heldTools }: ServerEntry): string[] {
  return [...new Set([...tools.map(({ name }) => name), ...hiddenTools.keys(), ...heldTools])];
}

function near({ servers }: Snapshot, { server: wanted, tool }: AbsenceSubject): string | null {
  const server = servers.get(wanted);
  const names =
    tool !== null && server
      ? nearest(tool, allNames(server)).map((name) => `${wanted}:${name}`)
      : nearest(wanted, [...servers.keys(), ...[...servers.values()].flatMap(allNames)]);
  return didYouMean(names) ?? null;
}
