import { useConsole } from '../../api/console-context.ts';
import type { AuditEvent, listAuditEvents } from '../../../interface/security/audit.ts';
import { useResource } from '../../parts/use-resource.ts';

/** Last recorded write of a channel. */
export interface LastWrite {
  readonly identity: string;
  readonly timeMs: number;
  /** Outcome and value, as recorded. */
  readonly result: string;
}

// As many events as one response has: older writes are in the audit log.
const LIMIT = 1000;
// An entry of a write: `SUCCESS name value` or `FAILURE code name value`.
const ENTRY = /^(?:SUCCESS|FAILURE \S+) /;

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

/**
 * Returns the last write of a channel.
 *
 * @param events writes of its asset, newest first
 */
export function findLastWrite(events: readonly AuditEvent[], channel: string): LastWrite | undefined {
  for (const { time, identity = '', detail = {} } of events) {
    for (const [name, entry] of Object.entries(detail)) {
      const text = String(entry);
      const head = name.startsWith('channels[') ? (ENTRY.exec(text)?.[0] ?? '') : '';
      if (head === '' || !text.slice(head.length).startsWith(`${channel} `)) continue;
      const value = text.slice(head.length + channel.length + 1);
      return { identity, timeMs: time, result: `${head.trim()} ${value}` };
    }
  }
  return undefined;
}
