/** Members of an event used in the message header. */
interface ShownEvent {
  readonly time: number;
  readonly event: string;
  readonly outcome: string;
}

/** Sender and content of a message. */
interface SyslogSource {
  readonly hostname: string;
  /** The JSON text of the event. */
  readonly text: string;
  readonly hash?: string | undefined;
}

// RFC 5424, 6.2.1: facility log audit; severity notice for failures, informational otherwise.
const FACILITY = 13;
const NOTICE = 5;
const INFORMATIONAL = 6;
const HOSTNAME_LENGTH = 255;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Formats an event as an RFC 5424 message without framing: the event name is the MSGID, the hash is structured data, and the
 * JSON text is the message.
 */
export function formatSyslogMessage(
  { time, event, outcome }: ShownEvent,
  { hostname, text, hash }: SyslogSource,
): string {
  const priority = FACILITY * 8 + (outcome === 'FAILURE' ? NOTICE : INFORMATIONAL);
  const host = hostname.replaceAll(/[^\x21-\x7e]/g, '').slice(0, HOSTNAME_LENGTH) || '-';
  // Enterprise number for documentation (RFC 5612): a name with @ needs a number, and others are assigned by IANA.
  const data = hash === undefined ? '-' : `[audit@32473 hash="${hash}"]`;
  const at = new Date(time).toISOString();
  return `<${priority}>1 ${at} ${host} penstock - ${event.slice(0, 32)} ${data} ${BYTE_ORDER_MARK}${text}`;
}

/** Formats an event as an octet-counted message (RFC 5425, 4.3). */
export function frameSyslogMessage({ text, hash }: Omit<SyslogSource, 'hostname'>, hostname: string): Buffer {
  const message = formatSyslogMessage(JSON.parse(text) as ShownEvent, { hostname, text, hash });
  return Buffer.from(`${Buffer.byteLength(message)} ${message}`);
}
