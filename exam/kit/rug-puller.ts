/** A server whose definitions are changed while it runs, and what agents, the owner and the audit then see of it. */

import type { OutputOf } from '../../src/admin/admin.ts';
import { eventually } from '../../test/kit/processes.ts';
import type { ExamAgent, ToolReply } from './agent.ts';
import type { Dict } from './agent-requests.ts';
import { order } from './owner.ts';
import type { Setup } from './setup.ts';

type Change = OutputOf<'changes.list'>['changes'][number];

export class RugPuller {
  readonly server: string;
  readonly agents: readonly ExamAgent[];
  readonly #setup: Setup;

  constructor(setup: Setup, server: string, agents: readonly ExamAgent[]) {
    this.#setup = setup;
    this.server = server;
    this.agents = agents;
  }

  /** The server changes without a word, and is listed again; or it says so, and the gateway looks by itself. */
  async change(args: Dict, isAnnounced = false): Promise<void> {
    const before = await this.#listedAt();
    const reply = await this.#first.call(`${this.server}.mutate`, { ...args, quiet: !isAnnounced });
    if (reply.isError) throw new Error(`${this.server} could not be changed: ${reply.said}`);
    if (!isAnnounced) {
      const [outcome] = await order(this.#setup, 'servers.refresh', { name: this.server });
      if (outcome?.error) throw new Error(outcome.error);
      return;
    }
    const isListed = async () => (await this.#listedAt()) !== before || undefined;
    await eventually(`${this.server} is listed again`, isListed);
  }

  /** Its definition as each agent reads it, without the server's name. */
  async listed(tool: string): Promise<(Dict | undefined)[]> {
    return Promise.all(
      this.agents.map(async (agent) => {
        const { message } = await agent.request({ id: agent.nextId(), method: 'tools/list' });
        const tools = (message?.result as { tools?: Dict[] } | undefined)?.tools ?? [];
        return tools.find(({ name }) => name === `${this.server}.${tool}`);
      }),
    );
  }

  call(tool: string, args: Dict): Promise<ToolReply[]> {
    return Promise.all(this.agents.map((agent) => agent.call(`${this.server}.${tool}`, args)));
  }

  /** How often the server was really asked. */
  executions(tool: string): number {
    return this.#setup
      .server(this.server)
      .noted('tool')
      .filter(({ name }) => name === tool).length;
  }

  async changes(): Promise<readonly Change[]> {
    return (await order(this.#setup, 'changes.list', { server: this.server })).changes;
  }

  /** The last thing that became of a tool. */
  async lastAct(tool: string): Promise<OutputOf<'changes.list'>['history'][number] | undefined> {
    const { history } = await order(this.#setup, 'changes.list', { server: this.server, name: tool, all: true });
    return history[0];
  }

  get #first(): ExamAgent {
    // There is one for each era.
    return this.agents[0] as ExamAgent;
  }

  async #listedAt(): Promise<string | null | undefined> {
    const rows = await order(this.#setup, 'servers.list', {});
    return rows.find(({ name }) => name === this.server)?.listedAt;
  }
}

/** Why a call was refused, in any form of refusal. */
export function refusalOf({ errorType, result, said }: ToolReply): string {
  const trouble = (result._meta as Dict | undefined)?.['toolcrib/trouble'] as Dict | undefined;
  return errorType ?? String(trouble?.errorType ?? said.slice(0, 200));
}
