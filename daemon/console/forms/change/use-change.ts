import { useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { Method } from '../../api/rest.ts';
import type { ChangePlan } from '../../../interface/configuration/configuration.ts';
import type { Difference } from '../difference.ts';
import { refreshPendingChange } from '../../live/pending-change.ts';
import { CONFIGURATION_ROOT } from './edit-target.ts';

/** Configuration change. */
export interface Change {
  readonly method: Method;
  /** Path below the root of the configuration. */
  readonly path: string;
  readonly body?: unknown;
  /** Raw body, instead of JSON. */
  readonly content?: { readonly type: string; readonly body: string };
  readonly query?: Readonly<Record<string, string>>;
  /** Entity tag of the configuration on which it is based. */
  readonly basis: string;
  /** Changed values. */
  readonly differences: readonly Difference[];
}

/** Change with its plan. */
export interface PlannedChange {
  readonly change: Change;
  readonly plan: ChangePlan;
}

/** Steps of a change: plan, then apply. */
export interface ChangeSteps {
  readonly planned: PlannedChange | undefined;
  readonly error: unknown;
  /** True if nothing can be sent: a request is outstanding, or the gateway does not respond. */
  readonly isBusy: boolean;
  plan(change: Change): Promise<void>;
  apply(minutes: number): Promise<void>;
  /** Discards the plan. */
  clear(): void;
}

interface ChangeEnds {
  readonly onApplied: () => void;
  /**
   * The configuration has changed in the meantime; nothing was applied.
   *
   * @param planAgain plans the change on a later configuration, unless it was discarded since
   */
  readonly onStale: (change: Change, planAgain: (basis: string) => Promise<void>) => void;
}

/** Plans a change, then applies it pending confirmation. */
export function useChange({ onApplied, onStale }: ChangeEnds): ChangeSteps {
  const { rest } = useConsole();
  const [planned, setPlanned] = useState<PlannedChange | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  // A second click before the next paint must not apply twice.
  const isSending = useRef(false);
  // A plan of an earlier text must not be shown next to a later one.
  const round = useRef(0);

  const send = async (
    change: Change,
    query: Readonly<Record<string, string>>,
  ): Promise<ChangePlan | undefined> => {
    if (isSending.current) return undefined;
    isSending.current = true;
    const own = round.current;
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
      if (thrown instanceof RestFailure && thrown.status === 412) {
        onStale(change, async (basis) => {
          if (own === round.current) await plan({ ...change, basis });
        });
      } else setError(thrown);
      return undefined;
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };

  const plan = async (change: Change): Promise<void> => {
    const own = round.current;
    const found = await send(change, { dryRun: 'true' });
    setPlanned(found === undefined || own !== round.current ? undefined : { change, plan: found });
  };

  return {
    planned,
    error,
    isBusy: isBusy || !rest.link.state.value.isUp,
    plan,
    async apply(minutes) {
      if (planned === undefined) return;
      const applied = await send(planned.change, { confirmWithin: String(minutes * 60) });
      if (applied === undefined) return;
      setPlanned(undefined);
      // The change is applied; the pending state is also polled.
      await refreshPendingChange(rest).catch(() => undefined);
      onApplied();
    },
    clear() {
      round.current += 1;
      setPlanned(undefined);
      setError(undefined);
    },
  };
}
