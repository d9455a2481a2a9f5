/** Where the gateway listens unless told otherwise. */

export const defaultHost = '127.0.0.1';
export const defaultPort = 3333;
export const maxPort = 65_535;
