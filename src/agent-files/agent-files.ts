/** The config files of other agents: where they are, the servers in them, and Toolcrib among these. This is the front of the folder. */

export { type AgentMachine, machineOf } from './agent-machine.ts';
export { type AgentId, agentIds, agents } from './agents.ts';
export { type ChosenFile, chooseFile, filesOf } from './choose-file.ts';
export { entriesOf } from './edit-entry.ts';
export { ownersAlone, readToEdit, type SeenFile, writeEdited } from './edited-file.ts';
export type { WayIn } from './entry-shapes.ts';
export { type AgentServer, type FileTrouble, findServers, serversInText } from './find-servers.ts';
export { hashOfText, type Installation, installedText, type RestoredText, restoredText } from './installation.ts';
export { Installations } from './installations.ts';
export { type FoundAt, type MergedServer, mergeFound } from './merge-found.ts';
export { isLoopbackName, leadsTo, ownEntry, ownTransport, ownUrl } from './own-entry.ts';
export { withoutVariables } from './references.ts';
export { type TakenSecret, takeSecrets } from './take-secrets.ts';
