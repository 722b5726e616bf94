import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { readSnapshot } from '../../../interface/configuration/configuration.ts';
import { listDifferences } from '../difference.ts';
import { refreshPendingChange } from '../../live/pending-change.ts';
import type { PendingChange } from '../../live/pending-change.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { Countdown } from './countdown.tsx';
import { DifferenceList } from './difference-list.tsx';
import { noteShownChange } from './shown-change.ts';
import { ChangeHealth } from './change-health.tsx';
import { CONFIGURATION_ROOT } from './edit-target.ts';
import type { Document } from './edit-target.ts';

/** Pending change: its differences, its health, and the buttons to confirm or revert it. */
export function PendingPanel({ pending }: { readonly pending: PendingChange }): JSX.Element {
  const { rest } = useConsole();
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const { snapshot, revertTo, author } = pending;
  const documents = useResource(`${snapshot} ${revertTo}`, async (abort) => {
    const load = async (id: number): Promise<Document> =>
      id === 0
        ? {}
        : (await rest.call<typeof readSnapshot>('GET', `${CONFIGURATION_ROOT}/snapshots/${id}`, { abort }))
            .document;
    return { before: await load(revertTo), after: await load(snapshot) };
  });
  const differences =
    documents.value === undefined ? [] : listDifferences(documents.value.before, documents.value.after);
  useEffect(() => noteShownChange(snapshot, differences), [snapshot, documents.value]);

  const settle = async (step: '_confirm' | '_takeBack'): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      // Exactly the change that was shown, not a later one.
      await rest.ask('POST', `${CONFIGURATION_ROOT}/${step}?snapshot=${snapshot}`);
    } catch (thrown) {
      setError(thrown);
    }
    // The refreshed state is shown instead; a failed refresh is retried later.
    await refreshPendingChange(rest).catch(() => undefined);
    setBusy(false);
  };
  const cannotSend = isBusy || !rest.link.state.value.isUp;

  return (
    <section class="pending-panel" aria-labelledby="pending-title">
      <h2 id="pending-title">
        {fill(CONFIGURATION.waits, { snapshot })}{' '}
        {author === undefined ? undefined : <span class="soft">{fill(CONFIGURATION.by, { author })}</span>}
      </h2>
      {/* Above what loads later, so that nothing moves under the pointer. */}
      <div class="tools">
        <Countdown pending={pending} />
        <button class="main" type="button" disabled={cannotSend} onClick={() => void settle('_confirm')}>
          {fill(CONFIGURATION.keep)}
        </button>
        <button type="button" disabled={cannotSend} onClick={() => void settle('_takeBack')}>
          {fill(CONFIGURATION.revertNow)}
        </button>
        {revertTo === 0 ? undefined : (
          <span class="soft">{fill(CONFIGURATION.goBackTo, { snapshot: revertTo })}</span>
        )}
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {documents.error === undefined ? undefined : (
        <FailureNotice error={documents.error} onRetry={documents.reload} />
      )}
      <DifferenceList differences={differences} />
      {documents.value === undefined ? undefined : (
        <ChangeHealth differences={differences} document={documents.value.after} />
      )}
    </section>
  );
}
