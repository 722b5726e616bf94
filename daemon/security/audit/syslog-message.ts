/** The members of an event that a message shows outside its text. */
interface ShownEvent {
  readonly time: number;
  readonly event: string;
  readonly outcome: string;
}

/** What names the sender of a message. */
interface SyslogSource {
  readonly hostname: string;
  /** The JSON text of the event. */
  readonly text: string;
  readonly hash?: string | undefined;
}

// RFC 5424, 6.2.1: log audit; notice for what failed, informational for the others.
const FACILITY = 13;
const NOTICE = 5;
const INFORMATIONAL = 6;
const HOSTNAME_LENGTH = 255;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns an event as a message of RFC 5424, without frame and line end: its name is the MSGID, its hash structured data,
 * and its JSON text the message.
 */
export function formatSyslogMessage(
  { time, event, outcome }: ShownEvent,
  { hostname, text, hash }: SyslogSource,
): string {
  const priority = FACILITY * 8 + (outcome === 'FAILURE' ? NOTICE : INFORMATIONAL);
  const host = hostname.replaceAll(/[^\x21-\x7e]/g, '').slice(0, HOSTNAME_LENGTH) || '-';
  // The number of RFC 5612 for documentation: a name with @ needs one, and others are for the IANA to give.
  const data = hash === undefined ? '-' : `[audit@32473 hash="${hash}"]`;
  const at = new Date(time).toISOString();
  return `<${priority}>1 ${at} ${host} penstock - ${event.slice(0, 32)} ${data} ${BYTE_ORDER_MARK}${text}`;
}

/** Returns an event as a message after its number of bytes, which is how a stream frames it (RFC 5425, 4.3). */
export function frameSyslogMessage({ text, hash }: Omit<SyslogSource, 'hostname'>, hostname: string): Buffer {
  const message = formatSyslogMessage(JSON.parse(text) as ShownEvent, { hostname, text, hash });
  return Buffer.from(`${Buffer.byteLength(message)} ${message}`);
}
