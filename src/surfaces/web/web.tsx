/** The dashboard: the page that a browser shows of a running gateway. */

import { render } from 'preact';
import { App } from './app.tsx';
import { showHiddenInAttributes } from './visible-attributes.ts';

// A link that is opened in this tab only changes the part of the address behind `#`, which loads nothing.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#code=')) location.reload();
});

showHiddenInAttributes();
const root = document.getElementById('page');
if (root) render(<App />, root);
