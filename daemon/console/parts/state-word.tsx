import type { JSX } from 'preact';

import { useConsole } from '../api/console-context.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import type { ShownState } from './connection-state.ts';
import { Icon } from './icon.tsx';

/** Shows a state with shape and text; only states that need attention have a colour. */
export function StateWord({ tone, words, isCurrent = false }: ShownState): JSX.Element {
  const { rest } = useConsole();
  if (isCurrent && !rest.link.state.value.isUp)
    return <span class="state none">{fill(SHELL.stateNotKnown)}</span>;
  return (
    <span class={`state ${tone === 'good' ? 'none' : tone}`}>
      {tone === 'attention' || tone === 'fault' || tone === 'info' ? <Icon name={tone} /> : undefined}
      {words}
    </span>
  );
}
