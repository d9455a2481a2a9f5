/** Attributes that people read or hear, with their invisible characters made visible on every element: they hold words of servers too. */

import { options } from 'preact';
import { visibleText } from '../../base/visible.ts';

const readNames = ['title', 'aria-label', 'alt', 'placeholder'];

/** Before anything is drawn. */
export function showHiddenInAttributes(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') {
      const props = vnode.props as Record<string, unknown>; // the attributes of an element
      for (const name of readNames) {
        const text = props[name];
        if (typeof text === 'string') props[name] = visibleText(text);
      }
    }
    before?.(vnode);
  };
}
