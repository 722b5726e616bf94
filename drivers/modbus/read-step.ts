import { READ_FUNCTION } from './modbus-functions.ts';
import type { PlannedRead, Span } from './read-plan.ts';
import type { ReadSpan } from './read-span.ts';
import type { ReadRequest } from './request.ts';

/** One request of the plan. */
export interface Step extends PlannedRead<ReadSpan> {
  /** The device has none of these addresses: they fail together, without a search for the bad ones. */
  readonly isRefused?: boolean;
  /** Milliseconds from request to answer, newest exchange. */
  measuredMs?: number;
}

/** Returns the request that reads the entries. */
export function toRequest({ unitId, table, offset, quantity }: Span): ReadRequest {
  return { functionCode: READ_FUNCTION[table], unitId, offset, quantity };
}

/** Names the unit and table of entries. */
export function tableKeyOf({ unitId, table }: Pick<Span, 'unitId' | 'table'>): string {
  return `${unitId} ${table}`;
}
