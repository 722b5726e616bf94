import { messageOf } from './errors.ts';

/** Log levels: each includes those after it. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Named values of one log line; an Error becomes its text, code and causes. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes structured lines; `child` adds fields that name the object to every line. */
export interface Logger {
  child(fields: LogFields): Logger;
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  /** Called for each line, so that it can change. */
  readonly level: () => LogLevel;
  /** Receives one line including its line feed. */
  readonly write: (line: string) => void;
  readonly epochMs: () => number;
  /** Puts the syslog priority in angle brackets before each line, as the journal reads it (sd-daemon(3)). */
  readonly journalPriorities: boolean;
}

// Numerical codes of RFC 5424, 6.2.1.
const PRIORITY: Record<LogLevel, number> = { debug: 7, info: 6, warn: 4, error: 3 };

// Never written, in any object.
const SECRET_FIELD =
  /^(password|currentPassword|newPassword|passwordHash|token|accessToken|refreshToken|xsrfToken|secondFactorCode|recoveryCodes|cookie|authorization|privateKey|secret)$/i;

// JSON.stringify leaves these alone, terminals and log viewers do not: C1 controls, line separators and the
// characters that change the direction of text.
const UNSAFE_CHARACTERS = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Creates a logger that writes one JSON object per line.
 *
 * Each line has `time` (RFC 3339, UTC), `level`, `event` and the fields; a field whose name means a secret is
 * written as `[redacted]`, and no value can start a new line or hide text.
 */
export function createLogger(options: LoggerOptions): Logger {
  return createChild(options, {});
}

function createChild(options: LoggerOptions, inherited: LogFields): Logger {
  function log(level: LogLevel, event: string, fields: LogFields | undefined): void {
    if (PRIORITY[level] > PRIORITY[options.level()]) return;
    const time = new Date(options.epochMs()).toISOString();
    const prefix = options.journalPriorities ? `<${PRIORITY[level]}>` : '';
    options.write(`${prefix}${formatLine({ time, level, event, ...inherited, ...fields })}\n`);
  }
  return {
    child: (fields) => createChild(options, { ...inherited, ...fields }),
    debug: (event, fields) => log('debug', event, fields),
    info: (event, fields) => log('info', event, fields),
    warn: (event, fields) => log('warn', event, fields),
    error: (event, fields) => log('error', event, fields),
  };
}

function formatLine(entry: LogFields): string {
  return stringify(entry).replace(
    UNSAFE_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function stringify(entry: LogFields): string {
  try {
    return JSON.stringify(entry, replaceUnloggable);
  } catch (error) {
    // A circular field must neither lose the line nor fail the caller.
    const { time, level, event } = entry;
    return JSON.stringify({ time, level, event, unloggable: messageOf(error) });
  }
}

function replaceUnloggable(key: string, value: unknown): unknown {
  if (SECRET_FIELD.test(key) && value !== undefined) return '[redacted]';
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return describeError(value);
  return value;
}

function describeError(error: Error): LogFields {
  const { code } = error as { code?: unknown };
  return {
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(error.cause === undefined
      ? {}
      : { cause: error.cause instanceof Error ? error.cause : messageOf(error.cause) }),
    stack: error.stack,
  };
}
