import { useConsole } from '../../api/console-context.ts';
import type { listAuditEvents } from '../../../interface/security/audit.ts';
import { useResource } from '../../parts/use-resource.ts';
import { findLastWrite } from './last-writes.ts';
import type { LastWrite } from './last-writes.ts';

// As many events as one response has: older writes are in the audit log.
const LIMIT = 1000;

/** Loads the last write of each channel of an asset; empty without permission for the audit log. */
export function useLastWrites(pid: string): {
  readonly find: (channel: string) => LastWrite | undefined;
  readonly reload: () => void;
} {
  const { rest, session } = useConsole();
  const isPermitted = session.may('rest.admin');
  const { value = [], reload } = useResource(isPermitted ? `writes ${pid}` : undefined, async (abort) => {
    const path = `/services/audit/v1/events?event=CHANNEL_WRITE&limit=${LIMIT}` as const;
    const { events } = await rest.call<typeof listAuditEvents>('GET', path, { abort });
    return events.filter(({ detail }) => detail?.['asset'] === pid);
  });
  return { find: (channel) => findLastWrite(value, channel), reload };
}
