import { check, z } from '../../base/schema.ts';
import { StoreError } from '../../base/store/store.ts';
import { faultReason } from '../../interface/failure.ts';
import { renderEvent } from './audit-chain.ts';
import type { ChainedEvent, ChainGap, RecordedBreak } from './audit-chain.ts';
import { AUDIT_OUTCOMES } from '../../interface/security/audit-event.ts';
import type { AuditEvent, StoredAuditDetail } from './audit-event.ts';
import type { StoredAuditEvent } from './audit-store.ts';

const optionalText = z.string().nullable();
const rowSchema = z.object({
  id: z.number(),
  time_ms: z.number(),
  event: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
  identity: optionalText,
  method: optionalText,
  address: optionalText,
  request_id: optionalText,
  target: optionalText,
  detail: optionalText,
  hash: z.instanceof(Uint8Array).nullable(),
});

/**
 * Converts a row to an event.
 *
 * @throws {StoreError} `STORE_DAMAGED` if the row is invalid
 */
export function toEvent(columns: unknown): StoredAuditEvent {
  const { value: row } = check(rowSchema, columns);
  if (row === undefined) throw damaged();
  const { time_ms: timeMs, request_id: requestId, detail, hash, ...others } = row;
  const chained = hash === null ? {} : { hash: toHex(hash) };
  const fields = { ...others, requestId, detail: detail === null ? null : parseDetail(detail), ...chained };
  const known = Object.entries(fields).filter(([, value]) => value !== null);
  return { ...(Object.fromEntries(known) as Omit<StoredAuditEvent, 'timeMs'>), timeMs };
}

/**
 * Converts a row to a link of the chain.
 *
 * @throws as {@link toEvent} does
 */
export function toChained(columns: unknown): ChainedEvent {
  const { value: row } = check(rowSchema, columns);
  if (row === undefined) throw damaged();
  const { detail, ...others } = row;
  const fields = {
    ...others,
    timeMs: row.time_ms,
    identity: row.identity ?? undefined,
    method: (row.method ?? undefined) as AuditEvent['method'],
    address: row.address ?? undefined,
    requestId: row.request_id ?? undefined,
    target: row.target ?? undefined,
  };
  const hash = row.hash === null ? {} : { hash: toHex(row.hash) };
  return { id: row.id, text: renderEvent(fields, detail ?? undefined), ...hash };
}

function parseDetail(text: string): StoredAuditDetail {
  try {
    return JSON.parse(text) as StoredAuditDetail;
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause?: unknown): StoreError {
  const detail = 'cannot read the audit event table';
  return new StoreError({ code: 'STORE_DAMAGED', detail, cause });
}

/** Reads a gap from its columns. */
export function toGap(row: Readonly<Record<string, unknown>>): ChainGap {
  const { first_id: firstId, last_id: lastId, before, after } = row;
  return { firstId: Number(firstId), lastId: Number(lastId), before: toHex(before), after: toHex(after) };
}

const reasonsSchema = z.array(faultReason);

/** Reads a break from its columns and the detail of the event that records it. */
export function toBreak(row: Readonly<Record<string, unknown>>): RecordedBreak {
  const { first_id: firstId, fault, time_ms: timeMs, detail } = row;
  const reasons = typeof detail === 'string' ? findReasons(detail) : undefined;
  const known = { firstId: Number(firstId), fault: String(fault), timeMs: Number(timeMs) };
  return reasons === undefined ? known : { ...known, reasons };
}

/** The sentences are left out if the row is damaged: verification finds that. */
function findReasons(detail: string): RecordedBreak['reasons'] {
  try {
    const { reasons } = parseDetail(detail);
    return typeof reasons === 'string' ? check(reasonsSchema, parseDetail(reasons)).value : undefined;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

/** Returns the hexadecimal form of a stored hash; empty if there is none. */
export function toHex(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}
