import type { JSX } from 'preact';

import { Breakable } from './long-name.tsx';

/** Address of a device or a server; too long for its place, it breaks before its port and after its slashes, never in a number. */
export function Address({ text }: { readonly text: string }): JSX.Element {
  return (
    <span class="code">
      <Breakable parts={text.split(/(?<=\/)(?!\/)|(?=:\d+(?:\/|$))/)} />
    </span>
  );
}
