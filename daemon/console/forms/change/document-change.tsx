import { useState } from 'preact/hooks';
import type { JSX } from 'preact';

import type { Resource } from '../../parts/use-resource.ts';
import { listDifferences } from '../difference.ts';
import { pathOf, setPart } from './edit-target.ts';
import type { EditTarget } from './edit-target.ts';
import { describeChange } from './change-words.ts';
import { findShownChange } from './shown-change.ts';
import { useChange } from './use-change.ts';
import type { Change, ChangeSteps } from './use-change.ts';
import { useConfiguration } from './use-configuration.ts';
import type { LoadedConfiguration } from './use-configuration.ts';
import { pendingChange, changeOutcome } from '../../live/pending-change.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { PendingPanel } from './pending-panel.tsx';
import { PlanPanel } from './plan-panel.tsx';

/** Configuration change made by a page with another purpose. */
export interface DocumentChange {
  readonly configuration: Resource<LoadedConfiguration>;
  readonly steps: ChangeSteps;
  /** The configuration changed after the plan, so the plan is void. */
  readonly isStale: boolean;
}

/**
 * Returns the active configuration and the steps to change it.
 *
 * @param onApplied called when a change was applied, before its confirmation
 */
export function useDocumentChange(onApplied?: () => void): DocumentChange {
  const configuration = useConfiguration();
  const [isStale, setStale] = useState(false);
  const steps = useChange({
    onApplied() {
      onApplied?.();
      configuration.reload();
    },
    onStale() {
      setStale(true);
      configuration.reload();
    },
  });
  const plan = (change: Change): Promise<void> => {
    setStale(false);
    return steps.plan(change);
  };
  return { configuration, steps: { ...steps, plan }, isStale };
}

/** Returns the change that replaces the value of a target. */
export function changeTarget(
  { document, basis }: LoadedConfiguration,
  target: EditTarget,
  value: unknown,
): Change {
  const differences = listDifferences(document, setPart(document, target, value));
  return { method: 'PUT', path: pathOf(target), body: value, basis, differences };
}

interface ChangeEndProps extends DocumentChange {
  /** True if the page shows errors at their fields itself. */
  readonly areFaultsShown?: boolean;
}

/** Errors, plan and confirmation of a change. */
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
      <ChangeOutcomeNotice />
    </>
  );
}

/** Shows the outcome of a pending change that ended while the page is open. */
export function ChangeOutcomeNotice(): JSX.Element | undefined {
  const ended = changeOutcome.value;
  const [before] = useState(ended);
  if (ended === undefined || ended === before) return undefined;
  const { snapshot, instead } = ended;
  const words =
    instead === undefined
      ? `${fill(CONFIGURATION.kept)} ${describeChange(findShownChange(snapshot))}`.trim()
      : fill(CONFIGURATION.tookBack, { snapshot: instead });
  const isOther = pendingChange.value !== undefined;
  return (
    <Notice level={isOther ? 'attention' : 'info'}>
      {words} {isOther ? fill(CONFIGURATION.otherChange) : undefined}
    </Notice>
  );
}
