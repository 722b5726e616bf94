import type { JSX } from 'preact';

import { Outline } from '../parts/outline.tsx';

/** Outline until the session is known: that of `index.html`, so that nothing moves when the code has come. */
export function Loading(): JSX.Element {
  return (
    <div class="loading" aria-hidden="true">
      <div class="loading-strip">Penstock</div>
      <Outline />
    </div>
  );
}
