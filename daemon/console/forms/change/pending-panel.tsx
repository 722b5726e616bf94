import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { Snapshot, TakenBack } from '../../api/types.ts';
import { listDifferences } from '../difference.ts';
import { pendingChange, refreshPendingChange } from '../../live/pending-change.ts';
import type { PendingChange } from '../../live/pending-change.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { Countdown } from './countdown.tsx';
import { DifferenceList } from './difference-list.tsx';
import { Evidence } from './evidence.tsx';
import { CONFIGURATION_ROOT } from './place.ts';
import type { Document } from './place.ts';

interface PendingPanelProps {
  readonly pending: PendingChange;
  readonly onSettled: (words: string) => void;
}

/** A change that is in force for now: what it did, beside the evidence whether it works, and the choice to keep it. */
export function PendingPanel({ pending, onSettled }: PendingPanelProps): JSX.Element {
  const { rest } = useConsole();
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const { snapshot, revertTo, author } = pending;
  const documents = useResource(`${snapshot} ${revertTo}`, async (abort) => {
    const load = async (id: number): Promise<Document> =>
      id === 0 ? {} : (await rest.get<Snapshot>(`${CONFIGURATION_ROOT}/snapshots/${id}`, abort)).document;
    return { before: await load(revertTo), after: await load(snapshot) };
  });
  const differences =
    documents.value === undefined ? [] : listDifferences(documents.value.before, documents.value.after);

  const settle = async (step: () => Promise<string>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await refreshPendingChange(rest);
      // What was looked at is not what would be kept.
      if (pendingChange.value?.snapshot !== snapshot) return;
      const words = await step();
      await refreshPendingChange(rest);
      onSettled(words);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const keep = (): Promise<void> =>
    settle(async () => {
      await rest.ask('POST', `${CONFIGURATION_ROOT}/_confirm`);
      return fill(CONFIGURATION.kept);
    });
  const takeBack = (): Promise<void> =>
    settle(async () => {
      const { value } = await rest.ask<TakenBack>('POST', `${CONFIGURATION_ROOT}/_takeBack`);
      return fill(CONFIGURATION.tookBack, { snapshot: value.snapshot });
    });

  return (
    <section class="pending-panel" aria-labelledby="pending-title">
      <h2 id="pending-title">
        {fill(CONFIGURATION.waits, { snapshot })}{' '}
        {author === undefined ? undefined : <span class="soft">{fill(CONFIGURATION.by, { author })}</span>}
      </h2>
      {documents.error === undefined ? undefined : (
        <FailureNotice error={documents.error} onRetry={documents.reload} />
      )}
      <DifferenceList differences={differences} />
      {documents.value === undefined ? undefined : (
        <Evidence differences={differences} document={documents.value.after} />
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <div class="tools">
        <Countdown pending={pending} />
        <button class="main" type="button" disabled={isBusy} onClick={() => void keep()}>
          {fill(CONFIGURATION.keep)}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void takeBack()}>
          {fill(CONFIGURATION.takeBack)}
        </button>
        {revertTo === 0 ? undefined : (
          <span class="soft">{fill(CONFIGURATION.goBackTo, { snapshot: revertTo })}</span>
        )}
      </div>
    </section>
  );
}
