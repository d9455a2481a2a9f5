/** The default address of the gateway. */

export const defaultHost = '127.0.0.1';
export const defaultPort = 3333;
