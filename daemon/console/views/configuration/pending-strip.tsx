import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { listDrafts } from '../../forms/drafts.ts';
import { pendingChange, usePendingChanges } from '../../live/pending-change.ts';
import { Icon } from '../../parts/icon.tsx';
import { linkTo } from '../../parts/route.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { Countdown } from '../../forms/change/countdown.tsx';

/** Shows on every page that a change waits to be kept, and that there are drafts. */
export function PendingStrip(): JSX.Element | undefined {
  const { rest, session } = useConsole();
  const isPermitted = session.may('rest.configuration');
  const isAsked = session.state.value.kind === 'SIGNED_IN' && rest.link.state.value.isUp;
  usePendingChanges(rest, isPermitted && isAsked);
  const pending = pendingChange.value;
  if (!isPermitted) return undefined;
  const [first, ...others] = listDrafts(session.name ?? '');
  return (
    <>
      {pending === undefined ? undefined : (
        <a class="state attention pending" href={linkTo(['configuration'])}>
          <Icon name="attention" />
          <Countdown pending={pending} />
        </a>
      )}
      {first === undefined ? undefined : (
        <a class="wide" href={`#/configuration/${first}`}>
          {others.length === 0
            ? fill(CONFIGURATION.oneDraft)
            : fill(CONFIGURATION.draftCount, { count: others.length + 1 })}
        </a>
      )}
    </>
  );
}
