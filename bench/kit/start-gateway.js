/** Starts the gateway out of Node's compile cache, as an installed one starts: stripping types again would be measured, too. */

import { enableCompileCache, flushCompileCache } from 'node:module';

enableCompileCache();
await import('./serve-gateway.ts');
flushCompileCache();
