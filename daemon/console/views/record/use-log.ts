import { useConsole } from '../../api/console-context.ts';
import type { LogLine, readGatewayLog } from '../../../interface/status.ts';
import { useFollowed } from './use-followed.ts';
import type { Followed } from './use-followed.ts';

const EVERY_MS = 2000;
// The gateway keeps the same number.
const KEPT = 1000;

/** Follows the log of the gateway. */
export function useLog(): Followed<LogLine> {
  const { rest } = useConsole();
  return useFollowed({
    key: 'log',
    everyMs: EVERY_MS,
    kept: KEPT,
    async load(after, abort) {
      const query = `${after === undefined ? '' : `after=${after}&`}limit=${KEPT}`;
      const path = `/services/status/v1/log?${query}` as const;
      const { lines, newest, ...others } = await rest.call<typeof readGatewayLog>('GET', path, { abort });
      return { ...others, entries: lines, newest: lines.at(-1)?.id ?? newest };
    },
  });
}
