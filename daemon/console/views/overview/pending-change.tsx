import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { PendingChange } from '../../live/pending-change.ts';
import { Icon } from '../../parts/icon.tsx';
import { linkTo } from '../../parts/route.ts';
import { useNow } from '../../parts/use-now.ts';
import { fill } from '../../text/fill.ts';
import { formatSpan } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';

/** The change that comes back by itself unless somebody keeps it. */
export function PendingNotice({ pending }: { readonly pending: PendingChange }): JSX.Element {
  const { rest } = useConsole();
  useNow();
  const { snapshot, revertTo, author, revertAt } = pending;
  const span = formatSpan(revertAt - rest.gatewayNowMs());
  return (
    <ul class="attention-list">
      <li class="attention">
        <span class="state attention">
          <Icon name="attention" />
        </span>
        <div class="body">
          <strong class="state attention">{fill(OVERVIEW.pending, { snapshot })}</strong>
          <div>
            {author === undefined ? undefined : `${fill(OVERVIEW.pendingBy, { author })} `}
            {fill(OVERVIEW.pendingBack, { revertTo, span })}
          </div>
          <div class="soft">{fill(OVERVIEW.pendingDo)}</div>
        </div>
        <a class="button" href={linkTo(['configuration'])}>
          {fill(OVERVIEW.toConfiguration)}
        </a>
      </li>
    </ul>
  );
}
