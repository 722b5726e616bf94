import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { PendingConfirmation } from '../../api/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { linkTo } from '../../parts/route.ts';
import { useNow } from '../../parts/use-now.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { formatSpan } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';

type Pending = NonNullable<PendingConfirmation['pending']>;

const EVERY_MS = 10_000;

/** Asks for the change that waits to be kept; whoever may not change the configuration is not told of it. */
export function usePendingChange(): Resource<PendingConfirmation> {
  const { rest, session } = useConsole();
  return useResource(
    session.may('rest.configuration') ? 'pending' : undefined,
    (abort) => rest.get<PendingConfirmation>('/services/configuration/v1/_confirm', abort),
    { everyMs: EVERY_MS },
  );
}

/** The change that comes back by itself unless somebody keeps it. */
export function PendingChange({ pending }: { readonly pending: Pending }): JSX.Element {
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
