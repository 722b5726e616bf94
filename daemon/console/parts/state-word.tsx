import type { JSX } from 'preact';

import type { ShownState } from './connection-state.ts';
import { Icon } from './icon.tsx';

/** Shows a state in shape and words; only what needs somebody has colour. */
export function StateWord({ tone, words }: ShownState): JSX.Element {
  return (
    <span class={`state ${tone === 'good' ? 'none' : tone}`}>
      {tone === 'attention' || tone === 'fault' || tone === 'info' ? <Icon name={tone} /> : undefined}
      {words}
    </span>
  );
}
