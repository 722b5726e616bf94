import type { LineRequest } from '../request.ts';
import type { ScanAnswer, ScanClient } from './scan-client.ts';

/** What came of asking whether a unit is there. */
export interface UnitPresence {
  readonly unitId: number;
  readonly isThere: boolean;
  /** The answer, in words; absent when there was none. */
  readonly remark?: string | undefined;
}

const GATEWAY_PATH_UNAVAILABLE = 0x0a;
const GATEWAY_TARGET_SILENT = 0x0b;

/** No device has it (MODBUS over Serial Line V1.02, 2.2): who answers it answers any. */
export const RESERVED_UNIT = 251;

/** Asks whether a unit is there, by reads that every device should answer, if only by refusing them. */
export async function findUnit(
  client: Pick<ScanClient, 'ask'>,
  unitId: number,
  isThorough: boolean,
): Promise<UnitPresence> {
  const request = { functionCode: 3, unitId, offset: 0, quantity: 1 } as const;
  const first = judge(await client.ask(request), unitId);
  if (first !== undefined) return first;
  // Some devices ignore functions that they do not have.
  const other: LineRequest = { ...request, functionCode: 4 };
  const second = isThorough ? judge(await client.ask(other), unitId) : undefined;
  return second ?? { unitId, isThere: false };
}

/** Returns what an answer shows; undefined for none. */
function judge(answer: ScanAnswer, unitId: number): UnitPresence | undefined {
  if (answer.kind === 'SILENT') return undefined;
  if (answer.kind === 'INVALID') return { unitId, isThere: false, remark: answer.detail };
  if (answer.kind === 'ANSWERED') return { unitId, isThere: true, remark: 'answers' };
  const { exceptionCode } = answer;
  // A gateway says so of units that it has no way to, or that do not answer it.
  if (exceptionCode === GATEWAY_PATH_UNAVAILABLE || exceptionCode === GATEWAY_TARGET_SILENT) {
    return { unitId, isThere: false };
  }
  return { unitId, isThere: true, remark: `answers with exception ${exceptionCode}` };
}
