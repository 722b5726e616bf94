import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { pendingChange, endedChange } from '../../live/pending-change.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
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

/** Tells how a pending change ended while the page was open, whoever ended it. */
export function EndedNote(): JSX.Element | undefined {
  const ended = endedChange.value;
  const [before] = useState(ended);
  if (ended === undefined || ended === before) return undefined;
  const { snapshot, instead } = ended;
  const words =
    instead === undefined
      ? fill(CONFIGURATION.kept, { snapshot })
      : fill(CONFIGURATION.tookBack, { snapshot: instead });
  const isOther = pendingChange.value !== undefined;
  return (
    <Notice level={isOther ? 'attention' : 'info'}>
      {words} {isOther ? fill(CONFIGURATION.otherChange) : undefined}
    </Notice>
  );
}
