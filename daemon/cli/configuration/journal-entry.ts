import { z } from '../../base/schema.ts';

/** Entry of the log: an event of the gateway with its fields, or a message of the service manager. */
export interface JournalEntry extends Readonly<Record<string, unknown>> {
  /** RFC 3339. */
  readonly time: string;
  readonly level: string;
  /** Name of the event; `systemd` for a message of the service manager. */
  readonly event: string;
}

// systemd.journal-fields(7): every value is text, or a list of bytes if it is not UTF-8.
const fieldsSchema = z.object({
  MESSAGE: z.union([z.string(), z.array(z.int())]).nullish(),
  PRIORITY: z.string().optional(),
  SYSLOG_IDENTIFIER: z.string().optional(),
  // Microseconds since the epoch.
  __REALTIME_TIMESTAMP: z.string().regex(/^\d+$/),
});

const eventSchema = z.looseObject({ time: z.string(), level: z.string(), event: z.string() });

// RFC 5424, 6.2.1.
const LEVELS: readonly string[] = ['error', 'error', 'error', 'error', 'warn', 'info', 'info', 'debug'];

/**
 * Parses a line of `journalctl --output=json`.
 *
 * @returns undefined if it is not a journal entry
 */
export function readJournalEntry(line: string): JournalEntry | undefined {
  const { data: fields } = fieldsSchema.safeParse(parseJson(line));
  if (fields === undefined) return undefined;
  const { MESSAGE: content = '' } = fields;
  const message = typeof content === 'string' ? content : Buffer.from(content ?? []).toString();
  const { data: event } = eventSchema.safeParse(parseJson(message));
  if (event !== undefined) return event;
  return {
    time: new Date(Number(fields.__REALTIME_TIMESTAMP) / 1000).toISOString(),
    level: LEVELS[Number(fields.PRIORITY ?? 6)] ?? 'info',
    event: fields.SYSLOG_IDENTIFIER ?? 'output',
    message,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
