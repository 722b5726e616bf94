import type { AuditEvent } from '../../../interface/security/audit.ts';

/** Last recorded write of a channel. */
export interface LastWrite {
  readonly identity: string;
  readonly timeMs: number;
  /** Written or refused value, as recorded. */
  readonly value: string;
  /** Code of the failure; undefined if the write succeeded. */
  readonly failureCode: string | undefined;
}

// An entry of a write: `SUCCESS name value` or `FAILURE code name value`.
const ENTRY = /^(?:SUCCESS|FAILURE (\S+)) /;

/**
 * Returns the last write of a channel.
 *
 * @param events writes of its asset, newest first
 */
export function findLastWrite(events: readonly AuditEvent[], channel: string): LastWrite | undefined {
  for (const { time, identity = '', detail = {} } of events) {
    for (const [name, entry] of Object.entries(detail)) {
      const text = String(entry);
      const [head = '', failureCode] = (name.startsWith('channels[') ? ENTRY.exec(text) : null) ?? [];
      if (head === '' || !text.slice(head.length).startsWith(`${channel} `)) continue;
      const value = text.slice(head.length + channel.length + 1);
      return { identity, timeMs: time, value, failureCode };
    }
  }
  return undefined;
}
