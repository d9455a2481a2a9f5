/**
 * Node's test runner follows every promise of a process through an async hook. It needs that to know in which suite a test is
 * declared; while tests run it only tells whose error nobody caught, and costs a fifth of their processor. Imported before
 * `node:test`, which takes the function from here, this file lets a group end it once its tests are declared.
 */

import asyncHooks, { type AsyncHook } from 'node:async_hooks';

const { createHook } = asyncHooks;
const hooks: AsyncHook[] = [];

asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  hooks.push(hook);
  return hook;
};

/** An error that nobody caught still fails the run, without the name of its test: so it is shown with its stack. */
export function endTracking(): void {
  for (const hook of hooks.splice(0)) {
    hook.disable();
    process.on('uncaughtExceptionMonitor', (error) => console.error(error));
    process.on('unhandledRejection', (error) => console.error(error));
  }
}
