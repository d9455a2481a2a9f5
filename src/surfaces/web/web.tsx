/** The dashboard: the page that a browser shows of a running gateway. */

import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('page');
if (root) render(<App />, root);
