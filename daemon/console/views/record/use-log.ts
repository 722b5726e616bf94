import { useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { LogLine, readGatewayLog } from '../../../interface/status.ts';
import { useResource } from '../../parts/use-resource.ts';

/** Log of the gateway, as far as the page has received it. */
export interface ReceivedLog {
  /** Ascending; undefined until loaded. */
  readonly lines: readonly LogLine[] | undefined;
  /** True if lines between received ones are missing. */
  readonly isIncomplete: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

const EVERY_MS = 2000;
// The gateway keeps the same number.
const KEPT = 1000;

/** Follows the log of the gateway: each request returns only the lines after the last one. */
export function useLog(): ReceivedLog {
  const { rest } = useConsole();
  const [lines, setLines] = useState<readonly LogLine[] | undefined>(undefined);
  const [isIncomplete, setIncomplete] = useState(false);
  const newest = useRef<number | undefined>(undefined);
  const run = useRef<string | undefined>(undefined);
  const { value, error, reload } = useResource(
    'log',
    (abort) => {
      const after = newest.current === undefined ? '' : `after=${newest.current}&`;
      return rest.call<typeof readGatewayLog>('GET', `/services/status/v1/log?${after}limit=${KEPT}`, {
        abort,
      });
    },
    { everyMs: EVERY_MS },
  );
  useEffect(() => {
    if (value === undefined) return;
    const before = newest.current;
    // The gateway has started again, and counts from the beginning.
    const isNew = before !== undefined && value.run !== run.current;
    run.current = value.run;
    newest.current = isNew ? undefined : (value.lines.at(-1)?.id ?? value.newest);
    if (isNew) {
      setLines([]);
      reload();
      return;
    }
    if (before !== undefined && value.isIncomplete) setIncomplete(true);
    setLines((known = []) => [...known, ...value.lines].slice(-KEPT));
  }, [value]);
  return { lines, isIncomplete, error, reload };
}
