import type { JSX } from 'preact';

import { useConsole } from '../api/console-context.ts';
import { Icon } from '../parts/icon.tsx';
import { useNow } from '../parts/use-now.ts';
import { fill } from '../text/fill.ts';
import { formatSpan, formatTime } from '../text/format.ts';
import { SHELL } from '../text/shell.ts';
import { OutlineWord } from '../parts/outline.tsx';
import { linkTo } from '../parts/route.ts';
import { useNeeds } from './overview/needs.ts';

/** Says what needs somebody while the gateway answers; if it does not, since when, and when it is asked again. */
export function LinkWord(): JSX.Element {
  const { rest } = useConsole();
  const { isUp, sinceMs } = rest.link.state.value;
  if (isUp) return <Alarm />;
  return (
    <span class="state attention link-word">
      <Icon name="attention" />
      <span role="alert">{fill(SHELL.noAnswer, { time: formatTime(sinceMs) })}</span>
      <NextTry />
      <button class="plain" type="button" onClick={() => void rest.link.tryNow()}>
        {fill(SHELL.tryNow)}
      </button>
    </span>
  );
}

function NextTry(): JSX.Element {
  const { rest } = useConsole();
  const { nextTryMs } = rest.link.state.value;
  const leftMs = (nextTryMs ?? 0) - useNow();
  const words =
    nextTryMs === undefined ? fill(SHELL.trying) : fill(SHELL.nextTry, { span: formatSpan(leftMs) });
  return <span class="next-try">{words}</span>;
}

/** Says on every page that something needs somebody, with the way to what it is; where nothing does, that the page is live. */
function Alarm(): JSX.Element {
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
