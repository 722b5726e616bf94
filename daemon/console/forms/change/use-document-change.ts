import { useState } from 'preact/hooks';

import type { Resource } from '../../parts/use-resource.ts';
import { listDifferences } from '../difference.ts';
import { pathOf, setPart } from './place.ts';
import type { Place } from './place.ts';
import { useChange } from './use-change.ts';
import type { Change, ChangeSteps } from './use-change.ts';
import { useConfiguration } from './use-configuration.ts';
import type { LoadedConfiguration } from './use-configuration.ts';

/** A change of the configuration that a page makes beside what it is there for. */
export interface DocumentChange {
  readonly configuration: Resource<LoadedConfiguration>;
  readonly steps: ChangeSteps;
  /** The configuration became another one after the plan: the plan is void. */
  readonly isStale: boolean;
}

/** Returns the configuration in force and the steps of a change of it. */
export function useDocumentChange(): DocumentChange {
  const configuration = useConfiguration();
  const [isStale, setStale] = useState(false);
  const steps = useChange({
    onApplied: configuration.reload,
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

/** Returns the change that gives a place another value. */
export function changePlace({ document, basis }: LoadedConfiguration, place: Place, value: unknown): Change {
  const differences = listDifferences(document, setPart(document, place, value));
  return { method: 'PUT', path: pathOf(place), body: value, basis, differences };
}
