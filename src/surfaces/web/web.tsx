/** The dashboard: the page that a browser shows of a running gateway. */

import { render } from 'preact';

const root = document.getElementById('page');
if (root) render(<h1>Toolcrib</h1>, root);
