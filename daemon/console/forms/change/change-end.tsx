import type { JSX } from 'preact';

import { pendingChange } from '../../live/pending-change.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { EndedNote } from './ended-note.tsx';
import { PendingPanel } from './pending-panel.tsx';
import { PlanPanel } from './plan-panel.tsx';
import type { DocumentChange } from './use-document-change.ts';

interface ChangeEndProps extends DocumentChange {
  /** The page shows at its places what is wrong. */
  readonly areFaultsShown?: boolean;
}

/** What becomes of a change: what is wrong with it, its plan, and the choice to keep it. */
export function ChangeEnd(props: ChangeEndProps): JSX.Element {
  const { configuration, steps, isStale, areFaultsShown = false } = props;
  const pending = pendingChange.value;
  const document = configuration.value?.document ?? {};
  return (
    <>
      {configuration.error === undefined ? undefined : (
        <FailureNotice error={configuration.error} onRetry={configuration.reload} />
      )}
      {steps.error === undefined || areFaultsShown ? undefined : <FailureNotice error={steps.error} />}
      {isStale ? <Notice level="attention">{fill(CONFIGURATION.planAgain)}</Notice> : undefined}
      {steps.planned === undefined ? undefined : (
        <PlanPanel steps={steps} planned={steps.planned} document={document} />
      )}
      {pending === undefined ? undefined : <PendingPanel key={pending.snapshot} pending={pending} />}
      <EndedNote />
    </>
  );
}
