/** For a form that replaces something as a whole: what it was filled from, and a notice when that has changed meanwhile. */

import { useState } from 'preact/hooks';
import { Button } from './basic.tsx';

export interface SeenVersion<T> {
  /** Sent along, so that the gateway refuses to replace anything else. */
  readonly seen: T;
  readonly isOutdated: boolean;
  /** Told by a person who wants to replace the newer version. */
  readonly onAccept: () => void;
}

/** `now`: the thing as it is now. What it was at first counts as seen. */
export function useSeenVersion<T>(now: T): SeenVersion<T> {
  const [seen, setSeen] = useState(now);
  return { seen, isOutdated: JSON.stringify(seen) !== JSON.stringify(now), onAccept: () => setSeen(now) };
}

/** `what` changed, such as "This project". */
export function OutdatedNotice({ what, version }: { readonly what: string; readonly version: SeenVersion<unknown> }) {
  if (!version.isOutdated) return null;
  return (
    <div class="notice warn" role="alert">
      <p>{what} changed since you opened this form. Your entries are still here. Cancel to see the newer version.</p>
      <Button label="Replace the newer version" onClick={version.onAccept} />
    </div>
  );
}
