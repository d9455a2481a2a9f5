/**
 * Runs after `npm install`, and when npx looks at a checkout that was never installed: there is only the machine's own Node then,
 * which may be too old for TypeScript, and a failure would leave npx broken for this checkout.
 */

const oldestForTypeScript = 24;

if (Number.parseInt(process.versions.node, 10) >= oldestForTypeScript) await import('./build-dashboard.ts');
else console.warn('The dashboard was not built: run npm install first.');
