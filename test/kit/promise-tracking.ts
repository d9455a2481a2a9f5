/**
 * Node's test runner follows every promise, to know which test it belongs to. It has to while tests are declared; while they run
 * that takes about a fifth of the processor, for nothing but the name of the test in which an error was not caught. Such an error
 * fails the run without it. To be loaded before `node:test`.
 */

import type { AsyncHook, HookCallbacks } from 'node:async_hooks';
import { createRequire } from 'node:module';

const asyncHooks = createRequire(import.meta.url)('node:async_hooks') as {
  createHook(callbacks: HookCallbacks): AsyncHook;
};
const { createHook } = asyncHooks;
const tracking: AsyncHook[] = [];
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  tracking.push(hook);
  return hook;
};

export function stopTracking(): void {
  for (const hook of tracking) hook.disable();
}
