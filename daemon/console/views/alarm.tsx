import type { JSX } from 'preact';

import { Icon } from '../parts/icon.tsx';
import { OutlineWord } from '../parts/outline.tsx';
import { linkTo } from '../parts/route.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import { useNeeds } from './overview/needs.ts';

/** Says on every page that something needs somebody, with the way to what it is; where nothing does, that the page is live. */
export function Alarm(): JSX.Element {
  const { tone, count } = useNeeds();
  if (tone === 'loading') return <OutlineWord />;
  if (tone === 'none') return <span class="state good">{fill(SHELL.live)}</span>;
  if (tone === 'unknown') {
    return (
      <span class="state attention">
        <Icon name="unknown" />
        {fill(SHELL.notKnown)}
      </span>
    );
  }
  return (
    <a class={`alarm ${tone}`} href={linkTo(['overview'])}>
      <Icon name={tone} />
      {fill(count === 1 ? SHELL.needsOne : SHELL.needsMany, { count })}
    </a>
  );
}
