/** The files of a data folder that hold the gateway's own tokens. */
export const tokenFiles = { owner: 'owner-token', agent: 'agent-token' } as const;
