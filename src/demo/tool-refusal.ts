/** The tool said no: the message is for the agent, which can mend its arguments or tell the user. */
export class ToolRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolRefusal';
  }
}
