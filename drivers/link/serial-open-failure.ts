import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import { hidePaths } from '../../daemon/base/text/hide-paths.ts';

/** Reason why a serial line did not open, with its remedy. */
export interface OpenFailure {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** A step of opening a line failed for a known reason. */
export class OpenFault extends Error implements OpenFailure {
  readonly code: ErrorCode;
  readonly reason: string;

  constructor({ code, reason, cause }: OpenFailure & { readonly cause?: unknown }) {
    super(reason, { cause });
    this.code = code;
    this.reason = reason;
  }
}

// The library provides only the text of the system error (strerror) and no number.
const CAUSES: readonly (readonly [pattern: RegExp, code: ErrorCode, reason: string])[] = [
  [/no such file|no such device/i, 'SERIAL_NOT_FOUND', 'no such device; is the adapter plugged in?'],
  [
    /permission denied|not permitted/i,
    'SERIAL_NOT_PERMITTED',
    'permission denied; add the daemon user to the group of the device, dialout on Debian',
  ],
  [
    /cannot lock|resource busy/i,
    'SERIAL_BUSY',
    'another program or driver has it open; stop it, or use another line',
  ],
  [
    /inappropriate ioctl|is a directory|no serial line/i,
    'SERIAL_NOT_A_LINE',
    'not a serial line; expected the path of a serial device',
  ],
];

const MAXIMUM_SHOWN = 8;

/**
 * Lists the plugged-in adapters by their stable names.
 *
 * @param names entries of `/dev/serial/by-id`
 */
export function describeAdapters(names: readonly string[]): string {
  if (names.length === 0) return 'no adapter is plugged in';
  const shown = names.slice(0, MAXIMUM_SHOWN);
  const others = names.length - shown.length;
  return `plugged in: ${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Determines the reason why a serial line did not open from the error. */
export function explainOpenFailure(error: unknown): OpenFailure {
  if (error instanceof OpenFault) return error;
  const message = messageOf(error);
  const cause = CAUSES.find(([pattern]) => pattern.test(message));
  if (cause === undefined) return { code: 'SERIAL_OPEN_FAILED', reason: hidePaths(message) };
  const [, code, reason] = cause;
  return { code, reason };
}
