import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import { createReason, quoteText } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { hidePaths } from '../../daemon/base/text/hide-paths.ts';
import { LINK_FAILURES } from './failure-sentences.ts';

/** Reason why a serial line did not open, with its remedy. */
export interface OpenFailure {
  readonly code: ErrorCode;
  readonly reason: FaultReason;
}

/** A step of opening a line failed for a known reason. */
export class OpenFault extends Error implements OpenFailure {
  readonly code: ErrorCode;
  readonly reason: FaultReason;

  constructor({ code, reason, cause }: OpenFailure & { readonly cause?: unknown }) {
    super(reason.message, { cause });
    this.code = code;
    this.reason = reason;
  }
}

// The library provides only the text of the system error (strerror) and no number.
const CAUSES: readonly (readonly [
  pattern: RegExp,
  code: ErrorCode,
  sentence: 'LINE_NOT_FOUND' | 'LINE_NOT_PERMITTED' | 'LINE_BUSY' | 'LINE_NOT_SERIAL',
])[] = [
  [/no such file|no such device/i, 'SERIAL_NOT_FOUND', 'LINE_NOT_FOUND'],
  [/permission denied|not permitted/i, 'SERIAL_NOT_PERMITTED', 'LINE_NOT_PERMITTED'],
  [/cannot lock|resource busy/i, 'SERIAL_BUSY', 'LINE_BUSY'],
  [/inappropriate ioctl|is a directory|no serial line/i, 'SERIAL_NOT_A_LINE', 'LINE_NOT_SERIAL'],
];

const MAXIMUM_SHOWN = 8;

/**
 * Returns the reason why a missing line did not open, with the plugged-in adapters by their stable names.
 *
 * @param names entries of `/dev/serial/by-id`
 */
export function explainMissing(names: readonly string[]): FaultReason {
  if (names.length === 0) return createReason(LINK_FAILURES, 'LINE_NOT_FOUND_NO_ADAPTER', {});
  const adapters = names.slice(0, MAXIMUM_SHOWN);
  const more = names.length - adapters.length;
  return more > 0
    ? createReason(LINK_FAILURES, 'LINE_NOT_FOUND_OTHERS_AND_MORE', { adapters, more })
    : createReason(LINK_FAILURES, 'LINE_NOT_FOUND_OTHERS', { adapters });
}

/** Determines the reason why a serial line did not open from the error. */
export function explainOpenFailure(error: unknown): OpenFailure {
  if (error instanceof OpenFault) return error;
  const message = messageOf(error);
  const cause = CAUSES.find(([pattern]) => pattern.test(message));
  if (cause === undefined) return { code: 'SERIAL_OPEN_FAILED', reason: quoteText(hidePaths(message)) };
  const [, code, sentence] = cause;
  return { code, reason: createReason(LINK_FAILURES, sentence, {}) };
}
