import { useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { Method } from '../../api/rest.ts';
import type { ChangePlan } from '../../../interface/configuration/configuration.ts';
import type { Difference } from '../difference.ts';
import { refreshPendingChange } from '../../live/pending-change.ts';
import { CONFIGURATION_ROOT } from './edit-target.ts';

/** A change of the configuration. */
export interface Change {
  readonly method: Method;
  /** Below the root of the configuration. */
  readonly path: string;
  readonly body?: unknown;
  /** Sent instead of JSON. */
  readonly content?: { readonly type: string; readonly body: string };
  readonly query?: Readonly<Record<string, string>>;
  /** Entity tag of the configuration that it starts from. */
  readonly basis: string;
  /** What it changes, value by value. */
  readonly differences: readonly Difference[];
}

/** A change whose effect is known. */
export interface PlannedChange {
  readonly change: Change;
  readonly plan: ChangePlan;
}

/** The steps of a change: its plan, then applying it. */
export interface ChangeSteps {
  readonly planned: PlannedChange | undefined;
  readonly error: unknown;
  /** Nothing can be sent now: something is on its way, or the gateway is silent. */
  readonly isBusy: boolean;
  plan(change: Change): Promise<void>;
  apply(minutes: number): Promise<void>;
  /** Gives the plan up. */
  clear(): void;
}

interface ChangeEnds {
  readonly onApplied: () => void;
  /** The configuration is another one meanwhile. */
  readonly onStale: () => void;
}

/** Plans a change without making it, then makes it until somebody keeps it. */
export function useChange({ onApplied, onStale }: ChangeEnds): ChangeSteps {
  const { rest } = useConsole();
  const [planned, setPlanned] = useState<PlannedChange | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  // A second press before the page is painted anew must not apply a second time.
  const isSending = useRef(false);

  const send = async (
    change: Change,
    query: Readonly<Record<string, string>>,
  ): Promise<ChangePlan | undefined> => {
    if (isSending.current) return undefined;
    isSending.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const { method, path, body, content, basis } = change;
      const address = path === '' ? CONFIGURATION_ROOT : `${CONFIGURATION_ROOT}/${path}`;
      const options = {
        headers: { 'If-Match': basis },
        ...(body === undefined ? {} : { body }),
        ...(content === undefined ? {} : { content }),
      };
      const search = new URLSearchParams({ ...change.query, ...query });
      const { value } = await rest.ask<ChangePlan>(method, `${address}?${search.toString()}`, options);
      return value;
    } catch (thrown) {
      setPlanned(undefined);
      if (thrown instanceof RestFailure && thrown.status === 412) onStale();
      else setError(thrown);
      return undefined;
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };

  return {
    planned,
    error,
    isBusy: isBusy || !rest.link.state.value.isUp,
    async plan(change) {
      const plan = await send(change, { dryRun: 'true' });
      setPlanned(plan === undefined ? undefined : { change, plan });
    },
    async apply(minutes) {
      if (planned === undefined) return;
      const plan = await send(planned.change, { confirmWithin: String(minutes * 60) });
      if (plan === undefined) return;
      setPlanned(undefined);
      // The change is made; that it waits is asked for again later as well.
      await refreshPendingChange(rest).catch(() => undefined);
      onApplied();
    },
    clear() {
      setPlanned(undefined);
      setError(undefined);
    },
  };
}
